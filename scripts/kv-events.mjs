#!/usr/bin/env node
// Reads a live stream of KV events with npm's zeromq and @msgpack/msgpack, which share no code with
// Headway, and prints what it holds. Needs, in a folder of its own:
//   npm install zeromq @msgpack/msgpack
// and then, for instance:
//   headway serve --kv-events-endpoint 'tcp://*:5557' --kv-events-replay-endpoint 'tcp://*:5558'
//   NODE_PATH=FOLDER/node_modules scripts/kv-events.mjs tcp://127.0.0.1:5557 tcp://127.0.0.1:5558 10
import { createRequire } from "node:module";

const require = createRequire(process.env.NODE_PATH ? process.env.NODE_PATH + "/" : import.meta.url);
const zmq = require("zeromq");
const { decode } = require("@msgpack/msgpack");

const [endpoint, replayEndpoint, seconds = "10"] = process.argv.slice(2);
if (!endpoint) {
  console.error("usage: kv-events.mjs ENDPOINT [REPLAY_ENDPOINT [SECONDS]]");
  process.exit(2);
}

function summary() {
  return { batches: 0, stored: 0, removed: 0, cleared: 0, faults: 0, first: null, last: null, present: new Map() };
}

function count(seen, sequenceFrame, payload) {
  const sequence = Number(sequenceFrame.readBigUInt64BE());
  if (seen.last !== null && sequence !== seen.last + 1) seen.faults++;
  seen.first ??= sequence;
  seen.last = sequence;
  seen.batches++;
  const [, events] = decode(payload, { useBigInt64: true });
  for (const event of events) {
    const map = !Array.isArray(event);
    const tag = map ? event.type : event[0];
    const hashes = ((map ? event.block_hashes : event[1]) ?? []).map(String);
    if (tag === "BlockStored") {
      const tokens = map ? event.token_ids : event[3];
      const blockSize = Number(map ? event.block_size : event[4]);
      if (tokens.length !== hashes.length * blockSize) seen.faults++;
      const parent = map ? event.parent_block_hash : event[2];
      if (parent !== null && seen.first === 0 && !seen.present.has(String(parent))) seen.faults++;
      hashes.forEach((hash) => seen.present.set(hash, true));
      seen.stored += hashes.length;
    } else if (tag === "BlockRemoved") {
      hashes.forEach((hash) => {
        if (!seen.present.delete(hash) && seen.first === 0) seen.faults++;
      });
      seen.removed += hashes.length;
    } else if (tag === "AllBlocksCleared") {
      seen.present.clear();
      seen.cleared++;
    } else {
      seen.faults++;
    }
  }
}

function print(name, seen) {
  const { present, ...figures } = seen;
  console.log(JSON.stringify({ stream: name, ...figures, present: present.size }));
}

const live = summary();
const sub = new zmq.Subscriber({ receiveHighWaterMark: 100000 });
sub.connect(endpoint);
sub.subscribe();
setTimeout(() => sub.close(), Number(seconds) * 1000);
for await (const [, sequence, payload] of sub) count(live, sequence, payload);
print("live", live);

if (replayEndpoint) {
  const replayed = summary();
  const dealer = new zmq.Dealer({ linger: 0, receiveTimeout: 5000 });
  dealer.connect(replayEndpoint);
  const start = Buffer.alloc(8);
  await dealer.send([Buffer.alloc(0), start]);
  for (;;) {
    const [, sequence, payload] = await dealer.receive();
    if (sequence.readBigInt64BE() === -1n) break;
    count(replayed, sequence, payload);
  }
  dealer.close();
  print("replay", replayed);
  if (replayed.faults > 0) process.exitCode = 1;
}
if (live.faults > 0) process.exitCode = 1;
