#!/usr/bin/env python3
"""Attacks a server of its own on the loopback address while it measures healthy requests.

  scripts/server-attack.py                  10,000 streams with and without all attacks at once: 2,000 slow
                                            bodies, 1,000 readers that stop, 4,200 half-sent heads, bodies
                                            that grow, chats of many messages, clients that leave; -Xmx512m
  scripts/server-attack.py --scale 0.01     a hundredth of it, to see that it works
  scripts/server-attack.py --only slow,heads  some attacks: slow, stopped, heads, bombs, chats, leavers; stopped
                                            and leavers ask for tokens, which the others wait for
  scripts/server-attack.py --port 8000      a server that runs; the options it needs are what --help prints

Three rounds after a warm-up: healthy requests of 8 tokens alone; healthy requests while all streams begin at
once; the same under attack. Prints p50 and p99 of each, how many failed, the ratio of the last two, and what
the engine has under way 2 s after the attackers have gone. Exits with 1 if a healthy request or a stream
failed or work was left. Needs Python 3.9 and about 18,000 file descriptors for a process (ulimit -n) at
scale 1. Clients, attackers and the server are processes of their own, attackers with the least priority: the
ratio is worth something on a machine with cores for all of them that does nothing else.
"""
import argparse, asyncio, json, os, resource, subprocess, sys, tempfile, time

STREAMS = 10_000
COUNTS = {"slow": 2_000, "stopped": 1_000, "heads": 4_200, "bombs": 8, "chats": 12, "leavers": 8}
SERVE = ["--executor", "simulated", "--latency", "2000000,2000,2000,0", "--max-num-seqs", "256",
         "--max-num-queued-reqs", "0", "--max-connections", "40000", "--max-connections-per-address", "36000"]


def post(path, body, more=""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{more}\r\n").encode() + body


async def ask(port, data, timeout=60):
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), timeout)
    try:
        writer.write(data)
        await asyncio.wait_for(writer.drain(), timeout)
        return await asyncio.wait_for(reader.read(-1), timeout)
    finally:
        writer.close()


class Attack:
    def __init__(self, port, counts):
        self.port, self.counts, self.open, self.tasks, self.log, self.ended = port, counts, [], [], {}, False

    def count(self, name, what):
        self.log.setdefault(name, {}).setdefault(what, 0)
        self.log[name][what] += 1

    async def keep(self, name, data):
        """Opens a connection, sends that, and keeps it; a new one in its place once it is closed."""
        while not self.ended:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=4096)
                self.open.append(writer)
                writer.write(data)
                await reader.read(1)
                self.count(name, "closed or answered")
            except OSError as e:
                self.count(name, type(e).__name__)
            await asyncio.sleep(0.5)

    async def stop_reading(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1024)
        writer.transport.pause_reading()
        self.open.append(writer)
        writer.write(post("/v1/completions", {"prompt": "a", "max_tokens": 2000, "ignore_eos": True, "stream": True}))
        await asyncio.sleep(1e6)

    async def again(self, name, data):
        while not self.ended:
            try:
                answer = await ask(self.port, data)
                self.count(name, answer[9:12].decode() or "closed")
            except (OSError, asyncio.TimeoutError) as e:
                self.count(name, type(e).__name__)
            await asyncio.sleep(0.05)

    async def leave(self):
        data = post("/v1/completions", {"prompt": "a", "max_tokens": 2000, "ignore_eos": True, "n": 64})
        while not self.ended:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(data)
                await asyncio.sleep(0.05)
                writer.transport.abort()
                self.count("leavers", "left")
            except OSError as e:
                self.count("leavers", type(e).__name__)
            await asyncio.sleep(0.5)

    async def begin(self):
        head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
        ids = b'{"prompt":"a","max_tokens":3,"n":128,"stop_token_ids":[' + b"9," * 4_000_000 + b"9]}"
        tree = b'{"prompt":"a","max_tokens":1,"x":[' + b"{}," * 2_600_000 + b"{}]}"
        chat = {"messages": [{"role": "user", "content": ""}] * 8_000, "max_tokens": 1}
        made = {
            "slow": lambda i: self.keep("slow", head + b'Content-Length: 1000\r\n\r\n{"pro'),
            "stopped": lambda i: self.stop_reading(),
            "heads": lambda i: self.keep("heads", b"GET /health HTTP/1.1\r\nHo"),
            "bombs": lambda i: self.again("bombs", post("/v1/completions", tree if i % 2 else ids)),
            "chats": lambda i: self.again("chats", post("/v1/chat/completions", chat)),
            "leavers": lambda i: self.leave(),
        }
        for name, count in self.counts.items():
            for i in range(count):
                self.tasks.append(asyncio.create_task(made[name](i)))
                if i % 200 == 199:
                    await asyncio.sleep(0.02)

    async def end(self):
        self.ended = True
        for writer in self.open:
            writer.transport.abort()
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks, timeout=10)  # wait_for may swallow a cancellation


def figures(times, failed):
    times.sort()
    pick = lambda share: round(1000 * times[min(len(times) - 1, int(share * len(times)))], 1)
    return {"requests": len(times), "p50_ms": pick(0.5), "p99_ms": pick(0.99), "max_ms": pick(1), "failed": failed}


async def timed(port, data, timeout, is_whole, times, failed):
    began = time.monotonic()
    try:
        answer = await ask(port, data, timeout)
        status = "" if is_whole(answer) else answer[9:12].decode() or "closed"
    except (OSError, asyncio.TimeoutError) as e:
        status = type(e).__name__
    times.append(time.monotonic() - began)
    if status:
        failed[status] = failed.get(status, 0) + 1


async def healthy(port, seconds, side_by_side=8):
    times, failed, until = [], {}, time.monotonic() + seconds
    data = post("/v1/completions", {"prompt": "abc", "max_tokens": 8, "ignore_eos": True})

    async def one_after_the_other():
        while time.monotonic() < until:
            await timed(port, data, 120, lambda answer: answer[9:12] == b"200", times, failed)

    await asyncio.gather(*(one_after_the_other() for _ in range(side_by_side)))
    return figures(times, failed)


async def attackers(port, counts):
    """Attacks until the input ends."""
    made = Attack(port, counts)
    begun = asyncio.create_task(made.begin())
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    begun.cancel()
    await made.end()
    return made.log


async def streams(port, count):
    times, failed = [], {}
    data = post("/v1/completions", {"prompt": "abc", "max_tokens": 64, "ignore_eos": True, "stream": True})
    running = []
    for i in range(count):
        running.append(asyncio.create_task(timed(port, data, 600, lambda answer: b"[DONE]" in answer, times, failed)))
        if i % 200 == 199:
            await asyncio.sleep(0.02)
    await asyncio.gather(*running)
    return figures(times, failed)


def measured(port, *what):
    return subprocess.Popen([sys.executable, __file__, "--port", str(port), "--measure", *what],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def result(process):
    out, _ = await asyncio.get_running_loop().run_in_executor(None, process.communicate)
    return json.loads(out)


async def under_way(port):
    answer = await ask(port, b"GET /v1/loads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])["aggregate"]["total_reqs"]


async def round_of(name, port, seconds, count):
    begun = [measured(port, "healthy", "--seconds", str(seconds))]
    if count:
        begun.append(measured(port, "streams", "--scale", str(count / STREAMS)))
    got = [await result(process) for process in begun]
    for kind, measures in zip(("healthy", "streams"), got):
        print(name, kind, json.dumps(measures), flush=True)
    return got


async def attack(port, seconds, count, *what):
    await round_of("warm-up ", port, seconds / 3, count)
    await round_of("alone   ", port, seconds / 3, 0)
    before = await round_of("streams ", port, seconds, count)
    attacking = measured(port, "attackers", *what)
    await asyncio.sleep(2)
    during = await round_of("attacked", port, seconds, count)
    print("attackers", json.dumps(await result(attacking)))  # closes its input, which ends it
    await asyncio.sleep(2)
    left = await under_way(port)
    print("p99, attacked / streams:", *(f"{kind} {now['p99_ms'] / then['p99_ms']:.3f}" for kind, then, now
                                        in zip(("healthy", "streams"), before, during)))
    await round_of("after   ", port, 3, 0)
    print("under way 2 s after they left:", left)
    return 1 if left or any(measures["failed"] for measures in before + during) else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                      epilog="options of the server: " + " ".join(SERVE))
    options.add_argument("--scale", type=float, default=1)
    options.add_argument("--only", metavar="NAMES", default=",".join(COUNTS))
    options.add_argument("--port", type=int)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--heap", default="512m")
    options.add_argument("--measure", choices=("healthy", "streams", "attackers"), help=argparse.SUPPRESS)
    given = options.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = max(1, int(STREAMS * given.scale))
    if given.measure == "attackers":
        os.nice(19)
        print(json.dumps(asyncio.run(attackers(given.port, {
            name: max(1, int(COUNTS[name] * given.scale)) for name in given.only.split(",")}))))
        return 0
    if given.measure:
        print(json.dumps(asyncio.run(healthy(given.port, given.seconds) if given.measure == "healthy"
                                     else streams(given.port, count))))
        return 0
    if not set(given.only.split(",")) <= set(COUNTS):
        options.error("--only must be some of %s: %s" % (", ".join(COUNTS), given.only))
    what = ["--scale", str(given.scale), "--only", given.only]
    if given.port:
        return asyncio.run(attack(given.port, given.seconds, count, *what))
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = dict(os.environ, HEADWAY_OPTS=f"-Xmx{given.heap} -XX:+UseG1GC")
    with tempfile.TemporaryFile() as errors:
        server = subprocess.Popen([os.path.join(root, "headway"), "serve", "--port", "0", *SERVE],
                                  env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            for line in server.stdout:
                if "address" in line:
                    port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
                    break
            else:
                errors.seek(0)
                sys.exit(errors.read().decode())
            return asyncio.run(attack(port, given.seconds, count, *what))
        finally:
            server.terminate()
            try:
                server.wait(40)
            except subprocess.TimeoutExpired:
                server.kill()


if __name__ == "__main__":
    sys.exit(main())
