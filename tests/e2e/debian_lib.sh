# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What this machine's apt knows, for tests that bootstrap Debian into a folder. NEST_MIRROR
# overrides the mirror.

apt_targets() { # FORMAT
	apt-get indextargets --format "$1" 'Identifier: Packages' 2>/dev/null
}

# The mirror of Debian's main archive, and the keyring that it is checked with.
apt_mirror() {
	if [ -n "${NEST_MIRROR:-}" ]; then
		echo "$NEST_MIRROR"
	else
		# shellcheck disable=SC2016 # apt's
		apt_targets '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' |
			awk -F'|' '$1 == "Debian" && $2 == $1 && $3 == "main" { print $4; exit }'
	fi
}

apt_keyring() {
	local file
	# shellcheck disable=SC2016 # apt's
	file=$(apt_targets '$(ORIGIN)|$(LABEL)|$(SIGNED_BY)' |
		awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
	[ -f "$file" ] && echo "$file"
}

apt_setting() { # NAME
	apt-config dump --format '%v%n' "$1" 2>/dev/null | head -n 1
}

# debootstrap's wget takes its proxy from the environment.
export_proxy() {
	local proxy
	proxy=$(apt_setting Acquire::http::Proxy)
	case $proxy in '' | DIRECT) ;; *) export http_proxy=$proxy ;; esac
	proxy=$(apt_setting Acquire::https::Proxy)
	case $proxy in '' | DIRECT) ;; *) export https_proxy=$proxy ;; esac
}
