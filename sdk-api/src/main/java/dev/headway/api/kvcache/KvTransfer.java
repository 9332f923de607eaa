package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Blocks move between the device and a slower tier. {@code KvTransferRules} in {@code
 * headway-testkit} checks the order of such events.
 */
public interface KvTransfer extends KvCacheEvent {

  /** The medium of blocks on the device. */
  String GPU = "gpu";

  /** The medium of blocks in host memory. */
  String CPU = "cpu";

  /** What happened. */
  KvTransferStage stage();

  /** Names the transfer, from its commitment to its completion; unique in a run, from 1. */
  long transferId();

  /** The request it is for; null if it is for none. */
  @Nullable RequestView request();

  /** The step in which it was committed, in all of its events. */
  @Override
  long stepId();

  /** When it happened, of the engine's clock. */
  long atNs();

  /** Where the blocks are: {@link #GPU}, {@link #CPU}, {@code disk} or the tier's own word. */
  String sourceMedium();

  /** Where they go; the source itself for {@link KvTransferStage#EVICTED}. */
  String targetMedium();

  /** How many blocks. */
  int blockCount();

  /** Why they were evicted ({@code lru}, {@code capacity}, {@code preemption}), or null. */
  @Nullable String reason();

  /** Whether the copy succeeded; true in all other stages. */
  boolean succeeded();
}
