package dev.headway.probes.chronicle;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.time.ClockAnchor;
import dev.headway.events.record.JournalLevel;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.FakeRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Journals that tests write and read. */
public final class Journals {

  static final int MEBIBYTE = 1 << 20;

  /** A group whose removals get records of their own, at once. */
  public static final int ALONE = 128;

  private Journals() {}

  public static RunInfo run(boolean virtualTime) {
    return RunInfo.builder(
            SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(256)
                        .maxNumBatchedTokens(8_192)
                        .maxModelLen(4_096)
                        .build())
                .build(),
            KvCacheShape.builder().blockSize(16).blocks(1_024).bytesPerBlock(65_536).build())
        .headwayVersion("1.2.3")
        .executor("simulated")
        .anchor(new ClockAnchor(1_700_000_000_000_000_000L, 5, 40))
        .virtualTime(virtualTime)
        .attributes(Map.of("model", "llama", "hardware", "h200"))
        .build();
  }

  static JournalOptions options(Path directory, JournalLevel level) {
    return new JournalOptions(directory, level, 100, 60, 32 * MEBIBYTE, MEBIBYTE);
  }

  /** Opens a journal in virtual time, so that a slow machine drops nothing. */
  public static JournalProbe start(Path directory, JournalLevel level) throws IOException {
    final JournalProbe probe = JournalProbe.open(options(directory, level));
    probe.onRunStarted(run(true));
    return probe;
  }

  /** One event of every kind. */
  public static void playEverything(Probe probe) {
    final Request asked =
        Request.builder("first", 1, 2, 3)
            .stopRule(StopRule.maxTokens(9).withMinTokens(2))
            .priority(-4)
            .tenant("acme")
            .ttftTarget(Duration.ofMillis(250))
            .timeout(Duration.ofSeconds(9))
            .lora(new LoraAdapter(7, "poet"))
            .traceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .build();
    final FakeRequest first = request(0, asked);
    final FakeRequest second = request(1, "second", 40);
    final SchedulerEvents events = new SchedulerEvents(probe);
    events.journey(JourneyEvent.of("first", JourneyStage.ARRIVED, 900));
    events.queued(0, first);
    events.queued(0, second);
    events.rejected(0, asked, RejectReason.DUPLICATE_ID, "id must be unique: id=first", 77);
    events.scored(1, second, -0.5);
    events.admitted(1, first, EntryKind.NEW, 2, first.hostCachedTokens(), 1, 0, 0x7e57L);
    events.blocked(1, second, WaitReason.MEMORY_INSUFFICIENT, first, 3, 1);
    events.admissionsClosed(1, WaitReason.HEAD_OF_LINE, second);
    final FakePlan plan =
        FakePlan.of(1)
            .add(first, 2, 1, true, 1, 0)
            .drafting(2)
            .producing(2)
            .add(second, 0, 40, true, 3, 1);
    probe.onPlanned(plan);
    events.firstToken(1, first, 11_002);
    probe.onKvStored(new FakeBlocks(second, 2, 16));
    final FakeResult result = new FakeResult(plan);
    result.output().firstOfKind(true);
    result.output().activatedExperts(96);
    probe.onStepCompleted(result);
    events.unblocked(2, second);
    events.held(1, second, WaitReason.GRAMMAR, 2_000);
    events.released(1, second, 2_500);
    events.admissionsClosed(2, WaitReason.MAX_NUM_SEQS, null);
    events.preempted(2, second, PreemptionCause.KV_BLOCKS, first, 40, 3);
    probe.onPlanned(FakePlan.of(2));
    probe.onStepCompleted(
        new FakeResult(FakePlan.of(2).measuring(750))
            .failing(new IllegalStateException("no device")));
    final EngineLimits old = EngineLimits.of(FakeRun.builder(65).build().config());
    events.limitsChanged(
        2, old, old.toBuilder().maxNumActiveSeqs(3).watermark(0.1).build(), 29_000);
    events.cacheReset(2, ResetScope.PREEMPT_RUNNING, 30_000);
    events.preempted(2, first, PreemptionCause.CACHE_RESET, null, 3, 1);
    new KvCacheEvents(probe).removed(1_000, 0);
    new KvCacheEvents(probe).cleared();
    probe.onKvTransfer(new FakeTransfer(KvTransferStage.STORE_COMMITTED, second, 30_500));
    probe.onKvTransfer(new FakeTransfer(KvTransferStage.EVICTED, null, 30_600));
    events.finished(2, first, FinishReason.STOP, 42, null, 1, 31_000);
    events.finished(
        2, second, FinishReason.EXECUTOR_FAILED, ABSENT, new IOException("lost"), 0, 32_000);
    events.journey(JourneyEvent.aborted("first", 31_500, "client_disconnect", "gone"));
  }

  /** Reads everything. */
  public static Read read(Path directory) throws IOException {
    final TellingVisitor visitor = new TellingVisitor();
    try (JournalReader reader = JournalReader.open(directory)) {
      final ReadSummary summary = reader.readAll(visitor);
      return new Read(visitor.told(), summary);
    }
  }

  /** The data file of the only run. */
  static Path dataFile(Path directory) throws IOException {
    return Objects.requireNonNull(JournalStore.dataFile(RunDirectories.list(directory).get(0)));
  }

  /** Copies the only run of a journal to a new journal directory. */
  static Path copy(Path directory, Path target) throws IOException {
    final Path from = dataFile(directory);
    final Path run = RunDirectories.of(target, 1);
    Files.createDirectories(run);
    return Files.copy(from, run.resolve(from.getFileName()));
  }

  /** What came out of a journal. */
  public record Read(List<String> told, ReadSummary summary) {

    RunSummary run() {
      return summary.runs().get(0);
    }
  }

  /** A running request whose instants and figures tell its number. */
  static FakeRequest request(long number, Request request) {
    return FakeRequest.of(number, request)
        .status(RequestStatus.RUNNING)
        .arrived(1_000 + number, 2_000 + number)
        .hostCachedTokens(1);
  }

  /** The same with a prompt of zeros. */
  static FakeRequest request(long number, String id, int promptTokens) {
    return request(number, Request.builder(id, new int[promptTokens]).maxTokens(100).build());
  }
}
