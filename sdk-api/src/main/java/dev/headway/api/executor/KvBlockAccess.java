package dev.headway.api.executor;

import java.nio.ByteBuffer;

/**
 * The bytes of an executor's KV blocks, for what moves them elsewhere: a {@code KvConnector}, on
 * threads of its own.
 *
 * <p>Any thread; calls for different blocks may overlap with each other and with steps. Which block
 * may be touched when is the scheduler's to say:
 *
 * <ul>
 *   <li>read a block of a request that has ended, until it is reported sent;
 *   <li>write a block that a load between steps is for, until that is reported received.
 * </ul>
 *
 * <p>What a read gets is what the steps submitted before it write: an executor with steps in flight
 * orders it behind them. A block is used by steps planned after the report.
 */
public interface KvBlockAccess {

  /** Bytes of a block over all layers, >= 1. Constant. */
  int blockBytes();

  /**
   * What the bytes of a block are: element type, layers, order. Two executors whose texts are equal
   * can use each other's blocks, if they run the same weights. Constant, not blank.
   */
  String layout();

  /**
   * Copies a block out. May block; not for the engine's thread.
   *
   * @param block in [1, numBlocks)
   * @param target receives {@link #blockBytes()} bytes from its position on, which moves behind
   *     them
   * @throws IndexOutOfBoundsException if there is no such block
   * @throws java.nio.BufferOverflowException if {@code target} has less room
   * @throws IllegalStateException if the executor is closed
   */
  void read(int block, ByteBuffer target);

  /**
   * Copies a block in. May block; not for the engine's thread.
   *
   * @param block in [1, numBlocks)
   * @param source gives {@link #blockBytes()} bytes from its position on, which moves behind them
   * @throws IndexOutOfBoundsException if there is no such block
   * @throws java.nio.BufferUnderflowException if {@code source} has fewer bytes
   * @throws IllegalStateException if the executor is closed
   */
  void write(int block, ByteBuffer source);
}
