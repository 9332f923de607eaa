package dev.headway.faultsim.simulation;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/** Which blocks a step may still write to, by what was reported to a KV cache. */
final class BlockFences {

  /** By block: the newest step that may write to it, since its releases; to it as a copy. */
  private final long[] releasedIn;

  private final long[] copiedIn;

  /**
   * By block: the step it leaves quarantine with, which blocks leave in the order of their release.
   */
  private final long[] queuedIn;

  private final IntArray released = new IntArray();
  private final IntArray queued = new IntArray();
  private final IntArray copied = new IntArray();
  private final Copies copies = new Copies();
  private long acknowledged;
  private long newest;

  BlockFences(int blocks) {
    releasedIn = new long[blocks];
    copiedIn = new long[blocks];
    queuedIn = new long[blocks];
  }

  /** A sequence is about to be released, which step {@code lastStepId} was the last to schedule. */
  void release(KvSequence sequence, long lastStepId) {
    if (lastStepId <= acknowledged) {
      return;
    }
    newest = Math.max(newest, lastStepId);
    for (int group = 0; group < sequence.groupCount(); group++) {
      for (int at = sequence.blockCount(group) - 1; at >= 0; at--) {
        add(sequence.blockId(group, at), lastStepId, releasedIn, released);
        add(sequence.blockId(group, at), newest, queuedIn, queued);
      }
    }
  }

  private void add(int block, long step, long[] steps, IntArray blocks) {
    if (block != 0) {
      if (steps[block] <= acknowledged) {
        blocks.add(block);
      }
      steps[block] = Math.max(steps[block], step);
    }
  }

  /** No step up to {@code stepId} writes any more. */
  void acknowledge(long stepId) {
    if (stepId > acknowledged) {
      acknowledged = stepId;
      keepPending(released, releasedIn);
      keepPending(copied, copiedIn);
      keepPending(queued, queuedIn);
    }
  }

  private void keepPending(IntArray blocks, long[] steps) {
    int kept = 0;
    for (int i = 0; i < blocks.size(); i++) {
      if (steps[blocks.get(i)] > acknowledged) {
        blocks.set(kept++, blocks.get(i));
      }
    }
    blocks.cut(kept);
  }

  /** The newest step that was acknowledged. */
  long acknowledged() {
    return acknowledged;
  }

  /** Released blocks that are not held, to which a step may still write. */
  int released(int[] heldIn, int round) {
    int count = 0;
    for (int i = 0; i < released.size(); i++) {
      count += heldIn[released.get(i)] == round ? 0 : 1;
    }
    return count;
  }

  /** Other blocks that are not held, which a step may still copy from or to. */
  int copied(int[] heldIn, int round) {
    int count = 0;
    for (int i = 0; i < copied.size(); i++) {
      final int block = copied.get(i);
      count += heldIn[block] == round || releasedIn[block] > acknowledged ? 0 : 1;
    }
    return count;
  }

  /**
   * Other blocks that are not held, which were released behind blocks to which a step may write.
   */
  int behind(int[] heldIn, int round) {
    int count = 0;
    for (int i = 0; i < queued.size(); i++) {
      final int block = queued.get(i);
      final boolean mayBeWritten = Math.max(releasedIn[block], copiedIn[block]) > acknowledged;
      count += heldIn[block] == round || mayBeWritten ? 0 : 1;
    }
    return count;
  }

  /** Hands on what is said to {@code work}, and notes the copies of step {@code stepId}. */
  KvBlockWork listeningTo(KvBlockWork work, long stepId) {
    copies.work = work;
    copies.step = stepId;
    return copies;
  }

  private final class Copies implements KvBlockWork {

    private @Nullable KvBlockWork work;
    private long step;

    private KvBlockWork work() {
      if (work == null) {
        throw new IllegalStateException("block work must be given first");
      }
      return work;
    }

    @Override
    public void copy(int source, int target) {
      newest = Math.max(newest, step);
      add(source, step, copiedIn, copied);
      add(target, step, copiedIn, copied);
      work().copy(source, target);
    }

    @Override
    public void zero(int block) {
      work().zero(block);
    }

    @Override
    public void save(int device, int host) {
      work().save(device, host);
    }

    @Override
    public void load(RequestView request, int host, int device) {
      work().load(request, host, device);
    }

    @Override
    public void evicted(int host) {
      work().evicted(host);
    }
  }

  @Override
  public String toString() {
    return "acknowledged=" + acknowledged;
  }
}
