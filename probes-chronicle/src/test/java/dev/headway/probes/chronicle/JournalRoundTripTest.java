package dev.headway.probes.chronicle;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RecordVisitor;
import dev.headway.testkit.FakeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalRoundTripTest {

  @TempDir Path directory;

  @Test
  void shouldReadBackEveryKindOfEvent() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.DEBUG)) {
      Journals.playEverything(probe);
    }

    final Journals.Read read = Journals.read(directory);

    assertThat(read.told().subList(1, read.told().size()))
        .containsExactly(
            "journey first arrived 900 null null",
            "queued 0 first 1000 2000 3 9 2 -4 acme 250000000 9000000000 poet"
                + " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "queued 1 second 1001 2001 40 100 0 0 null absent absent null null",
            "rejected first 77 duplicate_id id must be unique: id=first 3 9 -4 acme",
            "scored 1 1 -0.5",
            "admitted 1 0 new 2 1 0 external=1 prefix=7e57",
            "blocked 1 1 memory_insufficient 0 3 1",
            "closed 1 head_of_line 1",
            "planned 1 10000 11000 2 41 2 41 3 5 2 999 {0:2+1!/1+1 1:0+40!/3+2}",
            "first 1 0 11002",
            "stored 1 16 [1000, 1001] true 999 0",
            "completed 1 true 11001 11002 11003 absent absent absent absent absent 2 true null 1 2"
                + " 1 FIRST experts=96",
            "unblocked 2 1",
            "blocked 1 1 grammar absent 0 0 since 2000",
            "unblocked 1 1 at 2500 with 40",
            "closed 2 max_num_seqs absent",
            "preempted 2 1 kv_blocks 0 40 3",
            "planned 2 20000 21000 0 0 0 0 1 5 2 999 {}",
            "completed 2 false 21001 21002 21003 absent absent absent absent absent 0 true"
                + " java.lang.IllegalStateException: no device 0 0 0 measured=750",
            "limits LimitsChangedRecord[atNs=29000, before=Limits[maxNumActiveSeqs=0,"
                + " maxNumScheduledTokens=0, longPrefillTokenThreshold=0, maxNumPartialPrefills=0,"
                + " maxLongPartialPrefills=0, maxNumQueuedReqs=0, maxNumQueuedTokens=0,"
                + " watermark=0.0], after=Limits[maxNumActiveSeqs=3, maxNumScheduledTokens=0,"
                + " longPrefillTokenThreshold=0, maxNumPartialPrefills=0, maxLongPartialPrefills=0,"
                + " maxNumQueuedReqs=0, maxNumQueuedTokens=0, watermark=0.1]]",
            "reset preempt_running 30000",
            "preempted 2 0 cache_reset absent 3 1",
            "removed 1000 0",
            "cleared",
            "moved KvTransferRecord[stage=store_committed, transferId=4, requestNumber=1, stepId=2,"
                + " sourceMedium=gpu, targetMedium=cpu, blockCount=12, reason=null,"
                + " succeeded=true, atNs=30500]",
            "moved KvTransferRecord[stage=evicted, transferId=4, requestNumber=absent, stepId=2,"
                + " sourceMedium=gpu, targetMedium=cpu, blockCount=12, reason=lru,"
                + " succeeded=true, atNs=30600]",
            "finished 2 0 stop 42 null 0 1 31000",
            "finished 2 1 executor_failed absent java.io.IOException: lost 0 0 32000",
            "journey first aborted 31500 client_disconnect gone",
            "ended 32000");
    assertThat(read.run().message())
        .isEqualTo(
            "journal is complete: dir="
                + directory.resolve("run-000001")
                + ", records=31, lastRecord=run_ended, lastStepId=2, lastInstantNs=32000");
    assertThat(read.summary().isComplete()).isTrue();
  }

  @Test
  void shouldPutKvEventsInARowIntoOneRecordAndKeepTheirOrder() throws IOException {
    final FakeRequest first = Journals.request(0, "first", 40);
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      new KvCacheEvents(probe).removed(-1, 0);
      probe.onKvStored(new FakeBlocks(first, 2, 16));
      new KvCacheEvents(probe).removed(7, 127);
      new KvCacheEvents(probe).removed(8, Journals.ALONE);
      probe.onKvStored(new FakeBlocks(first, 65, 0));
      new KvCacheEvents(probe).removed(9, 1);
      new KvCacheEvents(probe).cleared();
      new KvCacheEvents(probe).removed(10, 0);
    }

    final Journals.Read read = Journals.read(directory);
    final List<String> told = read.told();
    assertThat(told.get(4)).isEqualTo("removed 8 128");
    assertThat(told.get(5)).startsWith("stored 0 0 [").contains(", 1064]");
    assertThat(told.subList(1, 4))
        .containsExactly("removed -1 0", "stored 0 16 [1000, 1001] true 999 0", "removed 7 127");
    assertThat(told.subList(6, 10))
        .containsExactly("removed 9 1", "cleared", "removed 10 0", "ended 0");
    assertThat(read.summary().records()).isEqualTo(8);
  }

  @Test
  void shouldHandOverAFullBatchAndLoseNothing() throws IOException {
    final int events = 10_000;
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int event = 0; event < events; event++) {
        new KvCacheEvents(probe).removed(event, 0);
      }
    }

    final Journals.Read read = Journals.read(directory);
    assertThat(read.told()).hasSize(events + 2);
    assertThat(read.told().get(events)).isEqualTo("removed " + (events - 1) + " 0");
    assertThat(read.summary().records()).isBetween(6L, 10L);
  }

  @Test
  void shouldReadBackTheStartRecord() throws IOException {
    Journals.start(directory, JournalLevel.FULL).close();

    assertThat(Journals.read(directory).told().get(0))
        .isEqualTo(
            "started RunStartedRecord[schemaVersion=2, headwayVersion=1.2.3, level=full,"
                + " virtualTime=true, anchorUnixEpochNs=1700000000000000000, anchorMonotonicNs=5,"
                + " anchorErrorNs=40, blockSize=16, numBlocks=1024, bytesPerBlock=65536,"
                + " config={maxNumSeqs=256, maxNumBatchedTokens=8192, maxModelLen=4096,"
                + " maxNumScheduledTokens=0, maxNumActiveSeqs=0, chunkedPrefill=ENABLED,"
                + " longPrefillTokenThreshold=0, lonePrefill=CAPPED, queuePolicy=FCFS,"
                + " displacement=OFF, prefixCaching=ENABLED, prefixRetention=BOUNDARIES,"
                + " fullSequenceGate=WHOLE_SEQUENCE, watermark=0.0, maxLoras=0,"
                + " prefillScheduleInterval=1, speculativeMethod=NONE, numSpeculativeTokens=0,"
                + " maxStepsInFlight=1, compatibility=HEADWAY, executor=simulated},"
                + " attributes={hardware=h200, model=llama}]");
  }

  @Test
  void shouldKeepRequestsAndStepTotalsOnlyAtLevelSummary() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.SUMMARY)) {
      assertThat(probe.interests())
          .containsExactlyInAnyOrder(
              ProbeInterest.REQUESTS,
              ProbeInterest.STEPS,
              ProbeInterest.CACHE_RESETS,
              ProbeInterest.JOURNEYS);
      Journals.playEverything(probe);
    }

    final List<String> told = Journals.read(directory).told();

    assertThat(told)
        .map(line -> line.substring(0, line.indexOf(' ')))
        .containsExactly(
            "started",
            "journey",
            "queued",
            "queued",
            "rejected",
            "admitted",
            "planned",
            "first",
            "completed",
            "preempted",
            "planned",
            "completed",
            "limits",
            "reset",
            "preempted",
            "finished",
            "finished",
            "journey",
            "ended");
    assertThat(told)
        .contains(
            "planned 1 10000 11000 2 41 2 41 3 5 2 999 no entries",
            "completed 1 true 11001 11002 11003 absent absent absent absent absent 2 false null 1 2"
                + " 1 FIRST experts=96");
  }

  @Test
  void shouldCountAsDecodeOnlyWhatHasOutputsAndOneTokenToCompute() throws IOException {
    final FakePlan plan =
        FakePlan.of(1)
            .add(Journals.request(0, "decode", 10).outputTokens(5), 14, 1, true, 1, 1)
            .add(Journals.request(1, "last prompt token", 10), 9, 1, true, 1, 1)
            .add(Journals.request(2, "chunk", 100), 0, 20, false, 2, 0)
            .add(Journals.request(3, "recomputation", 10).outputTokens(5), 0, 15, true, 1, 0)
            .add(Journals.request(4, "recomputed chunk", 10).outputTokens(5), 4, 5, false, 1, 0);
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      probe.onPlanned(plan);
    }

    assertThat(Journals.read(directory).told().get(1))
        .startsWith("planned 1 10000 11000 5 42 4 41 ");
  }

  @Test
  void shouldKeepFiguresThatDoNotFitIntoACompactEntry() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      final FakeRequest near = Journals.request(5, "near", 1);
      final FakeRequest far = Journals.request(Long.MAX_VALUE, "far", 1);
      final int most = Integer.MAX_VALUE;
      probe.onPlanned(
          FakePlan.of(1).add(near, most, most, true, 3, 0).add(near, 7, 1, false, 3, 2));
      probe.onPlanned(FakePlan.of(2).add(near, 1, 1, true, 1 << 20, 1 << 20));
      probe.onPlanned(FakePlan.of(3).add(near, 1, 1, true, 4_096, 1).add(far, 1, 1, true, 2, 1));
      probe.onPlanned(FakePlan.of(4).add(near, 1, 1, true, 4_095, 1).add(near, 1, 1, true, 9, 9));
      probe.onPlanned(FakePlan.of(6).add(near, 1, 1, true, 4_096, 1));
      probe.onPlanned(FakePlan.of(5).add(far, 1, 1, true, 1, 1).add(near, 1, 1, true, 1, 1));
    }

    assertThat(Journals.read(directory).told().subList(1, 7))
        .map(line -> line.substring(line.indexOf('{')))
        .containsExactly(
            "{5:2147483647+2147483647!/3+3 5:7+1/3+1}",
            "{5:1+1!/1048576+0}",
            "{5:1+1!/4096+4095 9223372036854775807:1+1!/2+1}",
            "{5:1+1!/4095+4094 5:1+1!/9+0}",
            "{5:1+1!/4096+4095}",
            "{9223372036854775807:1+1!/1+0 5:1+1!/1+0}");
  }

  @Test
  void shouldKeepProducedTokensOfEveryWidth() throws IOException {
    final int[][] steps = {{}, {1, 1, 1}, {0, 1, 255}, {0, 256}, {300, 300}};
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int step = 0; step < steps.length; step++) {
        final FakePlan plan = FakePlan.of(step + 1);
        for (int produced : steps[step]) {
          plan.add(Journals.request(0, "r", 1), 0, 1, true, 1, 0).producing(produced);
        }
        probe.onStepCompleted(new FakeResult(plan).failing(new IllegalStateException("s" + step)));
      }
    }

    final List<String> told = new ArrayList<>();
    try (JournalReader reader = JournalReader.open(directory)) {
      reader.readAll(
          new RecordVisitor() {
            @Override
            public void onStepCompleted(CompletedStep step) {
              final StringBuilder line = new StringBuilder();
              for (int entry = 0; entry < steps[(int) step.stepId() - 1].length; entry++) {
                line.append(step.producedTokens(entry)).append(' ');
              }
              told.add(line + "= " + step.producedTotal() + " " + step.failure());
            }
          });
    }

    assertThat(told)
        .containsExactly(
            "= 0 java.lang.IllegalStateException: s0",
            "1 1 1 = 3 java.lang.IllegalStateException: s1",
            "0 1 255 = 256 java.lang.IllegalStateException: s2",
            "0 256 = 256 java.lang.IllegalStateException: s3",
            "300 300 = 600 java.lang.IllegalStateException: s4");
  }

  @Test
  void shouldSplitManyStoredBlocks() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      probe.onKvStored(new FakeBlocks(Journals.request(3, "long", 1), 65_536 + 2, 0));
    }

    final List<String> told = Journals.read(directory).told();
    assertThat(told.get(1)).startsWith("stored 3 0 [1000, 1001,").endsWith("66535] false 0 0");
    assertThat(told.get(2)).isEqualTo("stored 3 1048576 [66536, 66537] true 66535 0");
  }

  @Test
  void shouldRecordAStepOfTooManyEntriesWithoutThem() throws IOException {
    final FakePlan plan = FakePlan.of(1);
    final FakeRequest request = Journals.request(0, "r", 1);
    for (int entry = 0; entry <= 100_000; entry++) {
      plan.add(request, 0, 1, true, 1, 0);
    }
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      probe.onPlanned(plan);
      probe.onStepCompleted(new FakeResult(plan));
    }

    assertThat(Journals.read(directory).told().get(1)).endsWith("no entries");
    assertThat(Journals.read(directory).summary().isComplete()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "\u0001\r\n\"',;=\u0000\u2028",
        "żółć 漢字 🚀",
        "lone \uD800 high",
        "lone \uDC00 low",
        "\uDC00\uD800",
        "replacement \uFFFD",
        "\uFFFD\uD83D\uDE80\uD83D"
      })
  void shouldReadBackAnyIdExactly(String id) throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      new SchedulerEvents(probe)
          .queued(
              0, Journals.request(0, Request.builder(id, 1).maxTokens(1).tenant(id + id).build()));
    }

    assertThat(Journals.read(directory).told().get(1))
        .isEqualTo("queued 0 " + id + " 1000 2000 1 1 0 0 " + id + id + " absent absent null null");
  }

  @Test
  void shouldCutAMessageOfTenMillionCharactersAndSaySo() throws IOException {
    final String message = "€".repeat(10_000_000);
    final Request request = Request.builder("first", 1).maxTokens(1).build();
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      final SchedulerEvents events = new SchedulerEvents(probe);
      events.rejected(0, request, RejectReason.QUEUE_FULL, message, 77);
      events.journey(JourneyEvent.aborted("first", 78, message, message));
      events.finished(
          0,
          Journals.request(0, request),
          FinishReason.EXECUTOR_FAILED,
          ABSENT,
          new IOException(message),
          0,
          79);
    }

    final Journals.Read read = Journals.read(directory);
    assertThat(read.told().subList(1, 4))
        .allSatisfy(
            told ->
                assertThat(told)
                    .containsPattern("€…\\[cut, 100000\\d\\d chars\\]")
                    .hasSizeLessThan(900));
    assertThat(read.summary().isComplete()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"SUMMARY", "FULL"})
  void shouldKeepWhatTheExecutorSaysOfFirstSteps(JournalLevel level) throws IOException {
    try (JournalProbe probe = Journals.start(directory, level)) {
      for (int step = 1; step <= 3; step++) {
        final FakeResult result =
            new FakeResult(
                FakePlan.of(step).add(Journals.request(0, "first", 40), 0, 4, true, 1, 0));
        if (step > 1) {
          result.output().firstOfKind(step == 2);
        }
        probe.onStepCompleted(result);
      }
      final FakeResult empty = new FakeResult(FakePlan.of(4));
      empty.output().firstOfKind(true);
      probe.onStepCompleted(empty);
    }

    final List<String> told = Journals.read(directory).told();
    assertThat(told.stream().filter(line -> line.startsWith("completed")).toList())
        .satisfiesExactly(
            line -> assertThat(line).contains(" 1 true ").doesNotContain("FIRST"),
            line -> assertThat(line).contains(" 2 true ").endsWith(" FIRST"),
            line -> assertThat(line).contains(" 3 true ").endsWith(" NOT_FIRST"),
            line -> assertThat(line).as("not executed").contains(" 4 false ").endsWith(" FIRST"));
  }

  @Test
  void shouldTellHowManyExpertsComputedWhereTheExecutorSaidSo() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int step = 1; step <= 3; step++) {
        final FakePlan plan = FakePlan.of(step).add(Journals.request(0, "r", 40), 0, 4, true, 1, 0);
        final FakeResult result = new FakeResult(step == 3 ? plan.measuring(750) : plan);
        if (step > 1) {
          result.output().activatedExperts(1L << 40 | step);
        }
        probe.onStepCompleted(result);
      }
    }

    assertThat(Journals.read(directory).told().stream().filter(l -> l.startsWith("completed")))
        .satisfiesExactly(
            line -> assertThat(line).doesNotContain("experts"),
            line -> assertThat(line).doesNotContain("measured").endsWith(" experts=1099511627778"),
            line -> assertThat(line).endsWith(" measured=750 experts=1099511627779"));
  }

  @Test
  void shouldSurviveAThrowableThatThrowsWhenAsked() throws IOException {
    final RuntimeException hostile =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String toString() {
            throw new IllegalStateException("no");
          }
        };
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      probe.onStepCompleted(new FakeResult(FakePlan.of(1)).failing(hostile));
    }

    assertThat(Journals.read(directory).told().get(1)).contains(hostile.getClass().getName());
  }
}
