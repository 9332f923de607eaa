package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.request.RequestView;
import dev.headway.api.support.SimpleBlockOperations;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports the stages of the transfers of a plan: one transfer for all its saves, one for the loads
 * of each request. They are committed and initiated with the plan, since a step is handed over as
 * soon as it is planned, and completed with its answer.
 *
 * <p>Engine thread only; allocates nothing.
 */
final class KvTransferEvents {

  private static final String LEAST_RECENT = "lru";

  private final KvCacheListener listener;
  private final TransferView view = new TransferView();
  private long transfers;

  KvTransferEvents(KvCacheListener listener) {
    this.listener = listener;
  }

  /** The plan, which moves blocks, is about to be submitted. */
  void planned(PlanBuffer plan, long nowNs) {
    final SimpleBlockOperations work = plan.blockOperations();
    plan.firstTransferId = transfers + 1;
    if (work.evictions() > 0) {
      view.reason = LEAST_RECENT;
      view.of(
          KvTransferStage.EVICTED,
          plan,
          plan.firstTransferId,
          null,
          KvTransfer.CPU,
          KvTransfer.CPU);
      tell(work.evictions(), nowNs);
      view.reason = null;
    }
    transfers += tellAll(plan, null, nowNs);
    tellAll(plan, KvTransferStage.INITIATED, nowNs);
  }

  /** The step of a plan that moves blocks was answered, or has failed. */
  void ended(PlanBuffer plan, boolean succeeded, long nowNs) {
    view.succeeded = succeeded;
    tellAll(plan, KvTransferStage.COMPLETED, nowNs);
    view.succeeded = true;
  }

  /** Reports a stage of each transfer, null for its commitment; returns the number of transfers. */
  private int tellAll(PlanBuffer plan, @Nullable KvTransferStage stage, long nowNs) {
    final SimpleBlockOperations work = plan.blockOperations();
    long id = plan.firstTransferId;
    if (work.saves().size() > 0) {
      final KvTransferStage save = stage == null ? KvTransferStage.STORE_COMMITTED : stage;
      view.of(save, plan, id++, null, KvTransfer.GPU, KvTransfer.CPU);
      tell(work.saves().size(), nowNs);
    }
    final KvTransferStage load = stage == null ? KvTransferStage.LOAD_COMMITTED : stage;
    int from = 0;
    while (from < work.loads().size()) {
      final RequestView request = work.loadedFor(from);
      int behind = from + 1;
      while (behind < work.loads().size() && work.loadedFor(behind).number() == request.number()) {
        behind++;
      }
      view.of(load, plan, id++, request, KvTransfer.CPU, KvTransfer.GPU);
      tell(behind - from, nowNs);
      from = behind;
    }
    return (int) (id - plan.firstTransferId);
  }

  private void tell(int blocks, long nowNs) {
    view.blockCount = blocks;
    view.atNs = nowNs;
    listener.onKvTransfer(view);
  }

  /** The reused view. */
  private static final class TransferView implements KvTransfer {

    private @Nullable KvTransferStage stage;
    private @Nullable RequestView request;
    private String source = KvTransfer.GPU;
    private String target = KvTransfer.CPU;
    private @Nullable String reason;
    private long transferId;
    private long stepId;
    private long atNs;
    private int blockCount;
    private boolean succeeded = true;

    void of(
        KvTransferStage stage,
        PlanBuffer plan,
        long transferId,
        @Nullable RequestView request,
        String source,
        String target) {
      this.stage = stage;
      this.transferId = transferId;
      this.request = request;
      this.source = source;
      this.target = target;
      stepId = plan.stepId();
    }

    @Override
    public KvTransferStage stage() {
      return Objects.requireNonNull(stage, "only valid during the call");
    }

    @Override
    public long transferId() {
      return transferId;
    }

    @Override
    public @Nullable RequestView request() {
      return request;
    }

    @Override
    public long stepId() {
      return stepId;
    }

    @Override
    public long atNs() {
      return atNs;
    }

    @Override
    public String sourceMedium() {
      return source;
    }

    @Override
    public String targetMedium() {
      return target;
    }

    @Override
    public int blockCount() {
      return blockCount;
    }

    @Override
    public @Nullable String reason() {
      return reason;
    }

    @Override
    public boolean succeeded() {
      return succeeded;
    }
  }
}
