package dev.headway.probes.csv;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.ClockAnchor;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.UnblockedRecord;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells a probe what a script would tell a visitor, so that a real journal can be written of it.
 */
public final class ProbeReplay implements RecordVisitor {

  private final Probe probe;
  private final SchedulerEvents events;
  private final Map<Long, RequestView> requests = new HashMap<>();
  private final Map<Long, Integer> outputs = new HashMap<>();

  /** Outputs of steps that are planned and not completed. */
  private final Map<Long, Integer> due = new HashMap<>();

  private final Map<Long, PlannedStep> plans = new HashMap<>();

  public ProbeReplay(Probe probe) {
    this.probe = probe;
    this.events = new SchedulerEvents(probe);
  }

  @Override
  public void onRunStarted(RunStartedRecord run) {
    probe.onRunStarted(
        RunInfo.builder(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(64)
                            .maxNumBatchedTokens(1_024)
                            .maxModelLen(4_096)
                            .build())
                    .queuePolicy(
                        QueuePolicy.valueOf(run.config().getOrDefault("queuePolicy", "FCFS")))
                    .build(),
                shape(run))
            .headwayVersion(run.headwayVersion())
            .executor("scripted")
            .anchor(
                new ClockAnchor(
                    run.anchorUnixEpochNs(), run.anchorMonotonicNs(), run.anchorErrorNs()))
            .virtualTime(run.virtualTime())
            .attributes(run.attributes())
            .build());
  }

  private static KvCacheShape shape(RunStartedRecord run) {
    final KvCacheShape.Builder shape =
        KvCacheShape.builder().blockSize(run.blockSize()).blocks(run.numBlocks());
    return run.bytesPerBlock() > 0
        ? shape.bytesPerBlock(run.bytesPerBlock()).build()
        : shape.build();
  }

  @Override
  public void onQueued(QueuedRecord queued) {
    final long number = queued.requestNumber();
    final Request request =
        request(
            queued.requestId(),
            queued.promptTokens(),
            queued.maxTokens(),
            queued.priority(),
            queued.tenant());
    final RequestView view =
        view(
            RequestView.class,
            Map.of(
                "request", a -> request,
                "number", a -> number,
                "arrivalNs", a -> queued.arrivalNs(),
                "queuedNs", a -> queued.queuedNs(),
                "outputTokens", a -> -1, // a script does not say when a request ends
                "knownTokens", a -> queued.promptTokens() + outputs.getOrDefault(number, 0)));
    requests.put(number, view);
    events.queued(0, view);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    events.rejected(
        0,
        request(
            rejected.requestId(),
            rejected.promptTokens(),
            rejected.maxTokens(),
            rejected.priority(),
            rejected.tenant()),
        byLabel(RejectReason.values(), RejectReason::label, rejected.reason()),
        rejected.message(),
        rejected.atNs());
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    events.admitted(
        admitted.stepId(),
        requests.get(admitted.requestNumber()),
        EntryKind.valueOf(admitted.kind().toUpperCase(Locale.ROOT)),
        admitted.cachedTokens(),
        admitted.hostCachedTokens(),
        admitted.externalTokens(),
        admitted.evictedTokens(),
        admitted.prefixHash());
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    events.blocked(
        blocked.stepId(),
        requests.get(blocked.requestNumber()),
        byLabel(WaitReason.values(), WaitReason::label, blocked.reason()),
        requests.get(blocked.blockerNumber()),
        blocked.needed(),
        blocked.free());
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    events.unblocked(unblocked.stepId(), requests.get(unblocked.requestNumber()));
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    events.admissionsClosed(
        closed.stepId(),
        byLabel(WaitReason.values(), WaitReason::label, closed.reason()),
        requests.get(closed.blockerNumber()));
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    events.preempted(
        preempted.stepId(),
        requests.get(preempted.requestNumber()),
        byLabel(PreemptionCause.values(), PreemptionCause::label, preempted.cause()),
        requests.get(preempted.beneficiaryNumber()),
        preempted.lostTokens(),
        preempted.freedBlocks(),
        (int) preempted.missingBlocks());
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    events.cacheReset(0, ResetScope.valueOf(reset.scope().toUpperCase(Locale.ROOT)), reset.atNs());
  }

  @Override
  public void onPlanned(PlannedStep step) {
    plans.put(step.stepId(), step);
    events.planned(
        plan(step, null),
        step.runningCount(),
        step.waitingCount(),
        step.preemptedWaitingCount(),
        step.freeBlocks());
    for (int entry = 0; step.hasEntries() && entry < step.batchSize(); entry++) {
      due.merge(step.number(entry), step.samples(entry) ? 1 : 0, Integer::sum);
    }
  }

  @Override
  public void onFirstToken(FirstTokenRecord firstToken) {
    events.firstToken(
        firstToken.stepId(), requests.get(firstToken.requestNumber()), firstToken.atNs());
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    events.finished(
        finished.stepId(),
        requests.get(finished.requestNumber()),
        byLabel(FinishReason.values(), FinishReason::label, finished.reason()),
        finished.stopTokenId(),
        null,
        finished.freedBlocks(),
        finished.atNs());
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    final PlannedStep planned = plans.remove(step.stepId());
    final StepOutput output = new StepOutput();
    output.begin(step.stepId(), planned.batchSize());
    output.timing(step.prepareNs(), step.forwardNs(), step.sampleNs());
    for (int entry = 0; entry < planned.batchSize(); entry++) {
      for (int i = 0; i < step.producedTokens(entry); i++) {
        output.addToken(entry, 7);
      }
      outputs.merge(planned.number(entry), step.producedTokens(entry), Integer::sum);
      due.merge(planned.number(entry), planned.samples(entry) ? -1 : 0, Integer::sum);
    }
    final StepPlan plan = plan(planned, step);
    events.stepCompleted(
        plan,
        output,
        step.wasExecuted() ? step.submitNs() : ABSENT,
        step.outputNs(),
        step.endNs(),
        null);
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    final RequestView request = requests.get(stored.requestNumber());
    probe.onKvStored(
        view(
            KvBlocksStored.class,
            Map.of(
                "request", a -> request,
                "count", a -> stored.count(),
                "contentHash", a -> stored.contentHashes()[(int) a[0]],
                "hasParent", a -> stored.hasParent(),
                "parentContentHash", a -> stored.parent(),
                "firstToken", a -> stored.firstToken(),
                "tokenCount", a -> 16 * stored.count(),
                "group", a -> stored.group(),
                "blockSize", a -> 16)));
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    new KvCacheEvents(probe).removed(removed.contentHash(), removed.group());
  }

  @Override
  public void onKvCleared() {
    new KvCacheEvents(probe).cleared();
  }

  private StepPlan plan(PlannedStep step, @Nullable CompletedStep done) {
    final Map<String, Function<Object[], @Nullable Object>> answers = new HashMap<>();
    answers.put("stepId", a -> step.stepId());
    answers.put("beginNs", a -> step.beginNs());
    answers.put("endNs", a -> step.endNs());
    answers.put("size", a -> step.batchSize());
    answers.put("totalTokens", a -> step.totalTokens());
    answers.put("request", a -> requests.get(step.number((int) a[0])));
    answers.put("kind", a -> EntryKind.RUNNING);
    answers.put("scheduledTokens", a -> step.scheduledTokens((int) a[0]));
    answers.put("computedTokens", a -> step.computedTokens((int) a[0]));
    answers.put("outputTokens", a -> outputsBefore(step.number((int) a[0])));
    answers.put("samples", a -> step.samples((int) a[0]));
    answers.put("producedTokens", a -> done == null ? 0 : done.producedTokens((int) a[0]));
    answers.put("blocks", a -> blocks(step));
    return view(StepPlan.class, answers);
  }

  private static PlannedBlocks blocks(PlannedStep step) {
    return view(
        PlannedBlocks.class,
        Map.of(
            "newFrom", a -> step.blockCount((int) a[0]) - step.newBlocks((int) a[0]),
            "count", a -> step.blockCount((int) a[0]),
            "commonPrefix", a -> 0));
  }

  private int outputsBefore(long number) {
    return outputs.getOrDefault(number, 0) + due.getOrDefault(number, 0);
  }

  private static Request request(
      String id, int promptTokens, int maxTokens, int priority, @Nullable String tenant) {
    final Request.Builder builder =
        Request.builder(id, new int[promptTokens]).maxTokens(maxTokens).priority(priority);
    return (tenant == null ? builder : builder.tenant(tenant)).build();
  }

  private static <E> E byLabel(E[] values, Function<E, String> label, String wanted) {
    return Arrays.stream(values)
        .filter(value -> label.apply(value).equals(wanted))
        .findFirst()
        .orElseThrow();
  }

  /** A view that answers what is asked for here; interfaces of the API may grow. */
  private static <T> T view(
      Class<T> type, Map<String, Function<Object[], @Nullable Object>> answers) {
    final InvocationHandler handler =
        (proxy, method, arguments) -> {
          final Function<Object[], @Nullable Object> answer = answers.get(method.getName());
          if (answer != null) {
            return answer.apply(arguments);
          }
          if (method.isDefault()) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
          }
          throw new UnsupportedOperationException(method.toString());
        };
    return type.cast(
        Proxy.newProxyInstance(ProbeReplay.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
