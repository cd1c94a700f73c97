# cell: kept
import os

def plant():
    import asyncio, concurrent.futures, contextlib, csv, email.message, hashlib, http.client, io, json, logging, mimetypes
    import random, sqlite3, ssl, statistics, subprocess, sys, tempfile, threading, unittest.mock, urllib.request, uuid, warnings, zipfile

    async def answer():
        return await asyncio.to_thread(sum, [1, 2])

    results = [asyncio.run(answer())]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results.extend(pool.map(abs, [-3, 4]))
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(f"{folder}/a.zip", "w") as archive:
        archive.writestr("name", "content")
    with sqlite3.connect(":memory:") as database:
        database.execute("create table t (a)")
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), unittest.mock.patch("json.dumps"):
        print(json.dumps(1))
    done = subprocess.run([sys.executable, "-I", "-c", "print(1)"], capture_output=True)
    logging.getLogger("mine").warning("careful")
    urllib.request.build_opener()
    ssl.create_default_context()
    mimetypes.guess_type("a.txt")
    random.random(), uuid.uuid4(), hashlib.sha256(b"x"), statistics.mean([1, 2])
    return [*results, done.returncode]

def probe():
    return os.getpid()
