package dev.headway.api.kvcache;

/**
 * Notifies a listener of what a cache does. Fills the reused views that need no more than the
 * arguments; a custom manager calls these where blocks become findable or are removed.
 *
 * <p>Engine thread only; allocates nothing.
 */
public final class KvCacheEvents {

  private final KvCacheListener listener;
  private final Removed removed = new Removed();
  private final Cleared cleared = new Cleared();
  private long stepId;

  /** Notifies {@code listener}. */
  public KvCacheEvents(KvCacheListener listener) {
    this.listener = listener;
  }

  /** Sets the step of the following events. */
  public void beginStep(long stepId) {
    this.stepId = stepId;
  }

  /** The step that events belong to; see {@link KvCacheEvent#stepId()}. */
  public long stepId() {
    return stepId;
  }

  /** Blocks became findable. */
  public void stored(KvBlocksStored blocks) {
    listener.onKvStored(blocks);
  }

  /** A block of {@code group} that was stored with {@code contentHash} is no longer findable. */
  public void removed(long contentHash, int group) {
    removed.contentHash = contentHash;
    removed.group = group;
    listener.onKvRemoved(removed);
  }

  /** The prefix cache was cleared. */
  public void cleared() {
    listener.onKvCleared(cleared);
  }

  private final class Removed implements KvBlockRemoved {
    private long contentHash;
    private int group;

    @Override
    public long stepId() {
      return stepId;
    }

    @Override
    public long contentHash() {
      return contentHash;
    }

    @Override
    public int group() {
      return group;
    }
  }

  private final class Cleared implements KvCacheCleared {
    @Override
    public long stepId() {
      return stepId;
    }
  }
}
