package dev.headway.events.record;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hears the records of a journal, in the order they were written. What {@code
 * dev.headway.api.probe.Probe} is to the scheduler, this is to a reader: the same events with
 * requests as numbers.
 *
 * <p>One thread. Views are reused and valid during the call. Reasons, causes and kinds arrive as
 * the labels that the writer stored in its start record, so an older reader can show what a newer
 * writer knows. A request number of -1 stands for none; {@link dev.headway.api.Absent#ABSENT}
 * stands for a figure that was not measured.
 */
public interface JournalVisitor {

  /**
   * The start record. Always first; a second one means that the writer was restarted on the same
   * journal: all requests of the run before it are gone.
   */
  default void onRunStarted(RunHeader run) {}

  /** A request entered the waiting queue. */
  default void onQueued(QueuedRequest request) {}

  /** A request was refused at submission. */
  default void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      @Nullable String tenant) {}

  /** A request was admitted. */
  default void onAdmitted(AdmittedRequest admitted) {}

  /** A request was examined and got nothing, for a new reason. */
  default void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {}

  /** A request's own reason no longer holds. */
  default void onUnblocked(long stepId, long number) {}

  /** The reason shared by the waiting requests that were not examined has changed. */
  default void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {}

  /** A running request was put back. */
  default void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {}

  /** A prefix-cache reset began; {@code scope} is {@code idle_only} or {@code preempt_running}. */
  default void onCacheReset(String scope, long nowNs) {}

  /** A policy has ranked a waiting request; the smallest score is considered first. */
  default void onScored(long stepId, long number, double score) {}

  /**
   * The server around the engine saw a stage of a request's journey.
   *
   * @param reason of an abort, or null
   * @param error what failed, or null
   */
  default void onJourney(
      String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {}

  /** A step was planned. */
  default void onPlanned(PlannedStep step) {}

  /** A request's first token. */
  default void onFirstToken(long stepId, long number, long nowNs) {}

  /** A request ended. */
  default void onFinished(FinishedRequest request) {}

  /** A step is done. */
  default void onStepCompleted(CompletedStep step) {}

  /**
   * KV blocks became findable.
   *
   * @param contentHashes valid in [0, count)
   */
  default void onKvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent,
      int group) {}

  /** A cached block of {@code group} was taken for other content. */
  default void onKvRemoved(long contentHash, int group) {}

  /** Everything cached was forgotten. */
  default void onKvCleared() {}

  /** KV blocks move between tiers. */
  default void onKvTransfer(MovedBlocks moved) {}

  /** Records were dropped by the writer between the one before and the next. */
  default void onDropped(long records) {}

  /** The writer closed the journal in good order. */
  default void onRunEnded(long nowNs) {}

  /**
   * The start record.
   *
   * @param schemaVersion version of the record layouts
   * @param headwayVersion version of the library that wrote it
   * @param level {@code summary}, {@code full} or {@code debug}
   * @param virtualTime whether time was simulated
   * @param anchorUnixEpochNs calendar time of {@code anchorMonotonicNs}
   * @param anchorMonotonicNs reading of the run's clock at that moment
   * @param anchorErrorNs half the bracket of that pair
   * @param blockSize tokens per KV block
   * @param numBlocks KV blocks, the null block included
   * @param bytesPerBlock memory of a block, 0 when not known
   * @param config the scheduler's settings by name, in order
   * @param attributes what the embedder added, in order
   */
  record RunHeader(
      int schemaVersion,
      String headwayVersion,
      String level,
      boolean virtualTime,
      long anchorUnixEpochNs,
      long anchorMonotonicNs,
      long anchorErrorNs,
      int blockSize,
      int numBlocks,
      long bytesPerBlock,
      Map<String, String> config,
      Map<String, String> attributes) {}

  /**
   * A request that got a seat.
   *
   * @param kind {@code new} or {@code resumed}
   * @param cachedTokens tokens found in the prefix cache, in both tiers
   * @param hostCachedTokens those of them found in the host tier only, and loaded
   * @param lostTokens tokens of full blocks that it had computed and that are no longer there
   */
  record AdmittedRequest(
      long stepId,
      long number,
      String kind,
      int cachedTokens,
      int hostCachedTokens,
      int lostTokens) {}

  /**
   * A request that entered the waiting queue.
   *
   * @param number from 0, never reused in a run
   * @param ttftTargetNs how soon after its arrival it wants its first token, or {@link
   *     dev.headway.api.Absent#ABSENT}
   * @param timeoutNs how soon after its arrival it ends anyhow, or {@link
   *     dev.headway.api.Absent#ABSENT}
   * @param adapter name of its LoRA adapter, or null
   * @param traceParent W3C trace context that it came with, or null
   */
  record QueuedRequest(
      long number,
      String requestId,
      long arrivalNs,
      long queuedNs,
      int promptTokens,
      int maxTokens,
      int minTokens,
      int priority,
      @Nullable String tenant,
      long ttftTargetNs,
      long timeoutNs,
      @Nullable String adapter,
      @Nullable String traceParent) {}

  /**
   * A request that ended.
   *
   * @param stepId the step whose output ended it, or the latest planned one
   * @param stopTokenId the stop token that ended it, or -1
   * @param cause what failed, or null
   * @param outputTokens tokens generated, or -1 in a journal of schema 1.0
   * @param freedBlocks blocks it let go of
   */
  record FinishedRequest(
      long stepId,
      long number,
      String reason,
      int stopTokenId,
      @Nullable String cause,
      int outputTokens,
      int freedBlocks,
      long nowNs) {}

  /**
   * Blocks that move between tiers; see {@code dev.headway.api.kvcache.KvTransfer}.
   *
   * @param number of the request it is for, or -1
   */
  record MovedBlocks(
      String stage,
      long transferId,
      long number,
      long stepId,
      String sourceMedium,
      String targetMedium,
      int blockCount,
      @Nullable String reason,
      boolean succeeded,
      long nowNs) {}

  /** A planned step; a reused view. */
  interface PlannedStep {
    /** Number of the step, from 1, gapless. */
    long stepId();

    /** Instant at which scheduling began. */
    long beginNs();

    /** Instant at which scheduling ended. */
    long endNs();

    /** Requests that compute something. */
    int batchSize();

    /** Tokens over all of them. */
    int totalTokens();

    /** Requests that are not decoding: computed &lt; known - 1, or no output yet. */
    int prefillRequests();

    /** Tokens of those. */
    int prefillTokens();

    /** Requests running after the decision. */
    int runningCount();

    /** Requests waiting after the decision, preempted ones included. */
    int waitingCount();

    /** Requests waiting because they were preempted. */
    int preemptedWaitingCount();

    /** KV blocks free after the decision. */
    int freeBlocks();

    /** Whether entries were recorded; not at level summary. */
    boolean hasEntries();

    /** Request number of an entry in [0, batchSize). */
    long number(int entry);

    /** Tokens to compute. */
    int scheduledTokens(int entry);

    /** Tokens computed before. */
    int computedTokens(int entry);

    /** Whether a token is sampled. */
    boolean samples(int entry);

    /** KV blocks the request holds. */
    int blockCount(int entry);

    /** Those of them that are new in this step. */
    int newBlocks(int entry);
  }

  /** A completed step; a reused view. */
  interface CompletedStep {
    /** Number of the step. */
    long stepId();

    /** Whether the executor saw it. */
    boolean wasExecuted();

    /** Instant of the hand-over to the executor. */
    long submitNs();

    /** Instant at which the output was available. */
    long outputNs();

    /** Instant at which the output was taken over. */
    long endNs();

    /** Time to build and upload the batch, or {@link dev.headway.api.Absent#ABSENT}. */
    long prepareNs();

    /** Time of the forward pass, or {@link dev.headway.api.Absent#ABSENT}. */
    long forwardNs();

    /** Time to sample, or {@link dev.headway.api.Absent#ABSENT}. */
    long sampleNs();

    /** Device memory in use, in bytes, or {@link dev.headway.api.Absent#ABSENT}. */
    long deviceMemoryUsedBytes();

    /** Device utilisation in 1/1000, or {@link dev.headway.api.Absent#ABSENT}. */
    long deviceUtilizationPermille();

    /** Tokens appended over all entries. */
    int producedTotal();

    /** Whether per-entry figures were recorded; not at level summary. */
    boolean hasEntries();

    /** Tokens appended to an entry of the plan with the same step. */
    int producedTokens(int entry);

    /** What failed, or null. */
    @Nullable String failure();

    /** Entries that had draft tokens; 0 in a journal of schema 1.0, as the next two. */
    int drafts();

    /** Draft tokens that were verified. */
    int draftTokens();

    /** Those of them that were right. */
    int acceptedTokens();
  }
}
