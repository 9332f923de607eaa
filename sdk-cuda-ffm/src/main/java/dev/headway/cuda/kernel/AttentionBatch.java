package dev.headway.cuda.kernel;

/**
 * Where on the device a step says which row belongs to which sequence; made once, filled per step.
 *
 * @param sequence {@code int[rows]}: row of the block table
 * @param position {@code int[rows]}: index of the row's token in its sequence; -1 = padding
 * @param blockTable {@code int[sequences][maxBlocks]}: block numbers
 * @param maxBlocks width of the block table
 */
public record AttentionBatch(long sequence, long position, long blockTable, int maxBlocks) {}
