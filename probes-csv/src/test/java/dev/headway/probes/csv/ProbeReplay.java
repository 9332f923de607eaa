package dev.headway.probes.csv;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.ClockAnchor;
import dev.headway.events.record.JournalVisitor;
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
public final class ProbeReplay implements JournalVisitor {

  private final Probe probe;
  private final Map<Long, RequestView> requests = new HashMap<>();
  private final Map<Long, Integer> outputs = new HashMap<>();
  private final Map<Long, PlannedStep> plans = new HashMap<>();

  public ProbeReplay(Probe probe) {
    this.probe = probe;
  }

  @Override
  public void onRunStarted(RunHeader run) {
    probe.onRunStarted(
        new RunInfo(
            run.headwayVersion(),
            SchedulerConfig.builder(new SchedulerLimits(64, 1_024, 4_096))
                .queuePolicy(QueuePolicy.valueOf(run.config().getOrDefault("queuePolicy", "FCFS")))
                .build(),
            new KvCacheShape(run.blockSize(), run.numBlocks(), run.bytesPerBlock()),
            "scripted",
            new ClockAnchor(run.anchorUnixEpochNs(), run.anchorMonotonicNs(), run.anchorErrorNs()),
            run.virtualTime(),
            run.attributes()));
  }

  @Override
  public void onQueued(QueuedRequest queued) {
    final long number = queued.number();
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
    probe.onQueued(view);
  }

  @Override
  public void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      @Nullable String tenant) {
    probe.onRejected(
        new Rejection(
            request(requestId, promptTokens, maxTokens, priority, tenant),
            byLabel(RejectReason.values(), RejectReason::label, reason),
            message,
            arrivalNs));
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    probe.onAdmitted(
        admitted.stepId(),
        requests.get(admitted.number()),
        EntryKind.valueOf(admitted.kind().toUpperCase(Locale.ROOT)),
        admitted.cachedTokens(),
        admitted.lostTokens());
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    probe.onBlocked(
        stepId,
        requests.get(number),
        byLabel(WaitReason.values(), WaitReason::label, reason),
        requests.get(blockerNumber),
        needed,
        free);
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    probe.onUnblocked(stepId, requests.get(number));
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    probe.onAdmissionsClosed(
        stepId,
        byLabel(WaitReason.values(), WaitReason::label, reason),
        requests.get(blockerNumber));
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    probe.onPreempted(
        stepId,
        requests.get(number),
        byLabel(PreemptionCause.values(), PreemptionCause::label, cause),
        requests.get(beneficiaryNumber),
        lostTokens,
        freedBlocks);
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    probe.onCacheReset(ResetScope.valueOf(scope.toUpperCase(Locale.ROOT)), nowNs);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    plans.put(step.stepId(), step);
    probe.onPlanned(plan(step, null));
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    probe.onFirstToken(stepId, requests.get(number), nowNs);
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    probe.onFinished(
        finished.stepId(),
        requests.get(finished.number()),
        byLabel(FinishReason.values(), FinishReason::label, finished.reason()),
        finished.stopTokenId(),
        null,
        finished.freedBlocks(),
        finished.nowNs());
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
    }
    final StepPlan plan = plan(planned, step);
    probe.onStepCompleted(
        view(
            StepResult.class,
            Map.of(
                "plan", a -> plan,
                "wasExecuted", a -> step.wasExecuted(),
                "submitNs", a -> step.submitNs(),
                "outputNs", a -> step.outputNs(),
                "endNs", a -> step.endNs(),
                "output", a -> output,
                "failure", a -> null)));
  }

  @Override
  public void onKvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent,
      int group) {
    probe.onKvStored(
        requests.get(number),
        view(
            KvBlocksStored.class,
            Map.of(
                "count", a -> count,
                "contentHash", a -> contentHashes[(int) a[0]],
                "hasParent", a -> hasParent,
                "parentContentHash", a -> parent,
                "firstToken", a -> firstToken,
                "tokenCount", a -> 16 * count,
                "group", a -> group,
                "blockSize", a -> 16)));
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    probe.onKvRemoved(contentHash, group);
  }

  @Override
  public void onKvCleared() {
    probe.onKvCleared();
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
    answers.put("draftTokens", a -> 0);
    answers.put("samples", a -> step.samples((int) a[0]));
    answers.put("draftTokens", a -> 0);
    answers.put("producedTokens", a -> done == null ? 0 : done.producedTokens((int) a[0]));
    answers.put("hasDrafts", a -> false);
    answers.put("newBlocksFrom", a -> step.blockCount((int) a[0]) - step.newBlocks((int) a[0]));
    answers.put("blockCount", a -> step.blockCount((int) a[0]));
    answers.put("commonPrefixBlocks", a -> 0);
    answers.put("runningCount", a -> step.runningCount());
    answers.put("waitingCount", a -> step.waitingCount());
    answers.put("preemptedWaitingCount", a -> step.preemptedWaitingCount());
    answers.put("freeBlocks", a -> step.freeBlocks());
    return view(StepPlan.class, answers);
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
