package dev.headway.simulation.workload;

/**
 * How much of a hostile or broken file is put up with.
 *
 * @param maxLineBytes longest line, and longest CSV record with its line breaks
 * @param freeBytes expanded gzip bytes up to which any ratio is fine
 * @param maxExpansion expanded to compressed bytes beyond that
 * @param maxWindowRows rows looked ahead to put arrivals in order
 * @param maxWindowIds prefix block ids held by those rows together
 */
record TraceLimits(
    int maxLineBytes, long freeBytes, int maxExpansion, int maxWindowRows, int maxWindowIds) {
  static final TraceLimits DEFAULT = new TraceLimits(16 << 20, 64L << 20, 200, 4096, 4 << 20);
}
