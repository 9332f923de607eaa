package dev.headway.kvcache.disk;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Collects the options of a {@link DiskKvTier}. Not thread-safe. */
public final class DiskKvTierBuilder {

  private static final int LOAD_THREADS = 2;

  private final Path folder;
  private final KvBlockAccess blocks;
  private final KvCacheShape shape;
  private String model = "";
  private long maxBytes;
  private int maxPendingSaves;

  DiskKvTierBuilder(Path folder, KvBlockAccess blocks, KvCacheShape shape) {
    this.folder = Objects.requireNonNull(folder, "folder");
    this.blocks = Objects.requireNonNull(blocks, "blocks: the executor's must be reachable");
    this.shape = shape;
    maxPendingSaves = Math.max(1, shape.usableBlocks() / 4);
  }

  /** Names the weights, with their revision: blocks are found by the same name only. Required. */
  public DiskKvTierBuilder model(String name) {
    this.model = name;
    return this;
  }

  /** Most bytes of all files together. Required. */
  public DiskKvTierBuilder maxBytes(long bytes) {
    this.maxBytes = bytes;
    return this;
  }

  /**
   * Most blocks of ended requests that wait to be written, and are kept until then; those of a
   * request that would exceed it are not written. A quarter of the cache unless set.
   */
  public DiskKvTierBuilder maxPendingSaves(int blocks) {
    this.maxPendingSaves = blocks;
    return this;
  }

  Path folder() {
    return folder;
  }

  KvBlockAccess blocks() {
    return blocks;
  }

  int blockSize() {
    return shape.blockSize();
  }

  long maxBytes() {
    return maxBytes;
  }

  int maxPendingSaves() {
    return maxPendingSaves;
  }

  /** What keeps the names of blocks apart whose bytes mean something else. */
  String seed() {
    return "headway-disk-1\n" + model + "\n" + blocks.layout();
  }

  /**
   * Opens the folder: reads which blocks are there, and deletes the oldest that are too many.
   *
   * @throws IOException if the folder cannot be made or read
   * @throws IllegalArgumentException if an option is missing or not possible
   * @throws IllegalStateException if another tier uses the folder
   */
  public DiskKvTier open() throws IOException {
    requireOptions();
    Files.createDirectories(folder);
    final FolderLock lock = FolderLock.of(folder);
    final ExecutorService loads =
        Executors.newFixedThreadPool(
            LOAD_THREADS, Thread.ofPlatform().daemon().name("headway-kv-disk-load-", 1).factory());
    final ExecutorService saves =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("headway-kv-disk-save").factory());
    try {
      return new DiskKvTier(this, lock, loads, saves);
    } catch (Throwable e) {
      loads.close();
      saves.close();
      lock.close();
      throw e;
    }
  }

  private void requireOptions() {
    if (model.isBlank()) {
      throw new IllegalArgumentException(
          "model must name the weights, so that no other model finds their KV: model='"
              + model
              + "'");
    }
    final long fileBytes = BlockFiles.HEADER_BYTES + (long) blocks.blockBytes();
    if (maxBytes < fileBytes) {
      throw new IllegalArgumentException(
          "maxBytes must be >= the bytes of a file: maxBytes="
              + maxBytes
              + ", fileBytes="
              + fileBytes);
    }
    if (maxPendingSaves < 1) {
      throw new IllegalArgumentException(
          "maxPendingSaves must be >= 1: maxPendingSaves=" + maxPendingSaves);
    }
    if (shape.groups().size() != 1
        || !(shape.groups().getFirst() instanceof KvGroup.FullAttention)) {
      throw new IllegalArgumentException(
          "a disk tier needs one group with full attention: groups=" + shape.groups());
    }
  }
}
