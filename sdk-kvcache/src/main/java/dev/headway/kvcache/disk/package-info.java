/**
 * A tier of KV blocks in files of a folder, which outlives the engine.
 *
 * <pre>{@code
 * DiskKvTier        the connector: engine thread, no file is touched
 *   ├─ BlockNameChain names of a request's blocks: VllmBlockHasher, seeded by model and layout
 *   ├─ BlockIndex     which blocks are there, how recently used, pinned by a load; bounds bytes
 *   ├─ DiskLoad       files ─▶ blocks, on threads of its own
 *   └─ DiskSave       blocks ─▶ files, on one thread of its own
 *        └─ BlockFiles  the format: checksummed, written aside and renamed
 * }</pre>
 *
 * <p>Read {@link dev.headway.kvcache.disk.DiskKvTier} first.
 */
@NullMarked
package dev.headway.kvcache.disk;

import org.jspecify.annotations.NullMarked;
