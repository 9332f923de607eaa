package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.kvcache.KvTransferStage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that transfers of KV blocks are reported as {@link KvTransferStage} defines; an offloading
 * manager runs its tests with this as its listener.
 *
 * <pre>
 * EVICTED* ─▶ LOAD_COMMITTED | STORE_COMMITTED ─▶ INITIATED ─▶ COMPLETED
 *                                             └▶ (nothing: it could not be submitted)
 * </pre>
 *
 * <p>In all stages of a transfer the id, the step it was committed in, the request, the media and
 * the number of blocks are the same; ids are never used again; evictions come with the id of the
 * store that needed them, before its commitment. The reference breaks five of these rules: load
 * commitments carry the step before, stores flushed by a preemption too, ids repeat between ranks,
 * two transfers of one request lose one, and blocks carry neither request nor instant.
 *
 * <p>One thread. Grows with the transfers that are out, and with one number per id.
 */
public final class KvTransferRules implements KvCacheListener {

  private final Map<Long, Committed> open = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private long largestId;
  private long latestNs = Long.MIN_VALUE;

  /** Makes a checker that has seen no event. */
  public KvTransferRules() {}

  /** A transfer that is committed and not completed. */
  private record Committed(
      KvTransferStage stage,
      long stepId,
      long number,
      String sourceMedium,
      String targetMedium,
      int blockCount,
      boolean isInitiated) {

    static Committed of(KvTransfer transfer, boolean isInitiated) {
      return new Committed(
          transfer.stage(),
          transfer.stepId(),
          numberOf(transfer),
          transfer.sourceMedium(),
          transfer.targetMedium(),
          transfer.blockCount(),
          isInitiated);
    }

    boolean isSame(KvTransfer transfer) {
      return stepId == transfer.stepId()
          && number == numberOf(transfer)
          && sourceMedium.equals(transfer.sourceMedium())
          && targetMedium.equals(transfer.targetMedium())
          && blockCount == transfer.blockCount();
    }

    private static long numberOf(KvTransfer transfer) {
      return transfer.request() == null ? -1 : transfer.request().number();
    }
  }

  /** What was wrong so far, a line each; empty if nothing was. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Transfers initiated and not completed; none may be left when the run is over. */
  public long inFlight() {
    return open.values().stream().filter(Committed::isInitiated).count();
  }

  @Override
  public void onKvTransfer(KvTransfer transfer) {
    final long atNs = transfer.atNs();
    require(atNs >= latestNs, transfer, "instants must not go back: before=" + latestNs);
    latestNs = Math.max(latestNs, atNs);
    require(transfer.blockCount() > 0, transfer, "a transfer must have blocks");
    final @Nullable Committed known = open.get(transfer.transferId());
    switch (transfer.stage()) {
      case EVICTED -> evicted(transfer, known);
      case LOAD_COMMITTED, STORE_COMMITTED -> committed(transfer, known);
      case INITIATED -> initiated(transfer, known);
      case COMPLETED -> completed(transfer, known);
    }
  }

  private void evicted(KvTransfer transfer, @Nullable Committed known) {
    require(known == null, transfer, "evictions come before the commitment that needs them");
    require(transfer.reason() != null, transfer, "an eviction must have a reason");
  }

  private void committed(KvTransfer transfer, @Nullable Committed known) {
    require(known == null, transfer, "a transfer is committed once");
    require(
        transfer.transferId() > largestId, transfer, "ids must grow: largest before=" + largestId);
    largestId = Math.max(largestId, transfer.transferId());
    open.put(transfer.transferId(), Committed.of(transfer, false));
  }

  private void initiated(KvTransfer transfer, @Nullable Committed known) {
    if (require(known != null, transfer, "a transfer is committed before it is initiated")
        && known != null) {
      require(!known.isInitiated(), transfer, "a transfer is initiated once");
      require(known.isSame(transfer), transfer, "a transfer stays what was committed: " + known);
      open.put(transfer.transferId(), Committed.of(transfer, true));
    }
  }

  private void completed(KvTransfer transfer, @Nullable Committed known) {
    if (require(
            known != null && known.isInitiated(),
            transfer,
            "a transfer is completed once, after it was initiated")
        && known != null) {
      require(known.isSame(transfer), transfer, "a transfer stays what was committed: " + known);
      open.remove(transfer.transferId());
    }
  }

  private boolean require(boolean holds, KvTransfer transfer, String rule) {
    if (!holds) {
      violations.add(
          rule
              + ": stage="
              + transfer.stage().label()
              + ", transferId="
              + transfer.transferId()
              + ", stepId="
              + transfer.stepId());
    }
    return holds;
  }
}
