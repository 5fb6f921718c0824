# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What servers of tests have in common: of its own accord it says nothing but its port."""

import http.server
import socket
import threading

met = set()
lock = threading.Lock()


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it would wait for an answer between head and body

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def first(self, what):
        with lock:
            new = what not in met
            met.add(what)
        return new

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def serve(handler, tls=None):
    """On a port of its own, which is printed; tls: an ssl.SSLContext."""
    server = Quiet(("127.0.0.1", 0), handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()
