package dev.headway.executor.reference;

import dev.headway.api.executor.KvBlockAccess;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** The blocks of a model, for others than the executor: those there are, until it is closed. */
final class CheckedBlocks implements KvBlockAccess {

  private final KvBlockAccess blocks;
  private final int numBlocks;
  private volatile boolean closed;

  CheckedBlocks(KvBlockAccess blocks, int numBlocks) {
    this.blocks = blocks;
    this.numBlocks = numBlocks;
  }

  void close() {
    closed = true;
  }

  @Override
  public int blockBytes() {
    return blocks.blockBytes();
  }

  @Override
  public String layout() {
    return blocks.layout();
  }

  @Override
  public void read(int block, ByteBuffer target) {
    check(block);
    if (target.remaining() < blocks.blockBytes()) {
      throw new BufferOverflowException();
    }
    blocks.read(block, target);
  }

  @Override
  public void write(int block, ByteBuffer source) {
    check(block);
    if (source.remaining() < blocks.blockBytes()) {
      throw new BufferUnderflowException();
    }
    blocks.write(block, source);
  }

  private void check(int block) {
    if (block < 1 || block >= numBlocks) {
      throw new IndexOutOfBoundsException(
          "block must be in [1, numBlocks): block=" + block + ", numBlocks=" + numBlocks);
    }
    if (closed) {
      throw new IllegalStateException("the executor must not be closed: block=" + block);
    }
  }
}
