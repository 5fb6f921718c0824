// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// ClickHouse as a library (chdb, of npm) behind as much of its HTTP as is used here:
// chdb_server.js NODE_MODULES DIR. Prints its port. One query at a time.
'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');
const zlib = require('zlib');

const { Session } = require(path.join(process.argv[2], 'chdb'));
const dir = process.argv[3];
const session = new Session(path.join(dir, 'data'));
const quoted = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function typesOf(database, table, columns)
{
	const out = path.join(dir, 'columns');

	session.query(`SELECT name, type FROM system.columns WHERE database=${quoted(database)}
		AND table=${quoted(table)} INTO OUTFILE '${out}' TRUNCATE FORMAT TSVRaw`);
	const types = new Map(fs.readFileSync(out, 'utf8').split('\n').map((l) => l.split('\t')));

	return columns.map((c) => {
		if (!types.has(c))
			throw new Error(`Code: 16. DB::Exception: no column ${c} in ${table}`);
		return `${c} ${types.get(c)}`;
	}).join(', ');
}

function insert(database, query, token, body)
{
	const [, table, columns] = /^INSERT INTO (\w+) \(([\w,]+)\) FORMAT RowBinary$/.exec(query);
	const file = path.join(dir, 'rows');
	const types = typesOf(database, table, columns.split(','));
	const once = token ? `SETTINGS insert_deduplication_token=${quoted(token)}` : '';

	fs.writeFileSync(file, body);
	session.query(`INSERT INTO ${table} (${columns}) ${once}
		SELECT * FROM file('${file}', 'RowBinary', ${quoted(types)})`);
	return '';
}

function select(query)
{
	const out = path.join(dir, 'reply');
	const [, text, , format] = /^([^]*?)( FORMAT (\w+))?\s*$/.exec(query);

	session.query(`${text} INTO OUTFILE '${out}' TRUNCATE FORMAT ${format || 'TSV'}`);
	return fs.readFileSync(out);
}

function answer(url, body)
{
	const database = url.searchParams.get('database') || 'default';
	const query = url.searchParams.get('query');
	const text = body.toString('latin1');

	session.query(`USE ${database}`);
	if (query)
		return insert(database, query,
			url.searchParams.get('insert_deduplication_token'), body);
	if (/^\s*SELECT/.test(text))
		return select(text);
	return session.query(text);
}

http.createServer((request, response) => {
	const parts = [];

	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		const raw = Buffer.concat(parts);

		try {
			const body = request.headers['content-encoding'] === 'gzip' ?
				zlib.gunzipSync(raw) : raw;

			response.end(answer(new URL(request.url, 'http://localhost'), body) || '');
		} catch (error) {
			const said = String(error.message || error);

			response.writeHead(500);
			response.end(said.slice(Math.max(0, said.indexOf('Code: '))));
		}
	});
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
