package dev.headway.kvcache.disk;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.connector.TransferSink;

/** What loads and saves of a tier work with. */
record DiskParts(
    KvBlockAccess blocks,
    BlockFiles files,
    BlockIndex index,
    DiskCounters counters,
    TransferSink sink) {}
