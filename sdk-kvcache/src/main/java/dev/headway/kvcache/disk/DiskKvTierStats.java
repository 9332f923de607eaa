package dev.headway.kvcache.disk;

/**
 * What a {@link DiskKvTier} has, and has done since it was opened. Counts are of blocks.
 *
 * @param blocks that can be loaded
 * @param bytes of their files, and of those being written
 * @param saved written
 * @param loaded read into blocks of the engine
 * @param evicted deleted to make room
 * @param corrupt whose file was not what was written: deleted, and computed again
 * @param failedReads whose file could not be read
 * @param failedWrites that could not be written, or deleted
 * @param skippedSaves not written, since too many waited, or all that is there is being read
 */
public record DiskKvTierStats(
    long blocks,
    long bytes,
    long saved,
    long loaded,
    long evicted,
    long corrupt,
    long failedReads,
    long failedWrites,
    long skippedSaves) {}
