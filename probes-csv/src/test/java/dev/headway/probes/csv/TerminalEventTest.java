package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.request.StopRule;
import dev.headway.scheduler.engine.ExecutorFailurePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * On every path a request ends once: one terminal event for the probe, one in the journal, one
 * outcome for the listener, all of the same reason; and the KV blocks it held are free again.
 */
class TerminalEventTest {

  private static final String SUBJECT = "subject";

  @TempDir private Path temporary;

  /** A way to end, with the reason that must come of it; see {@link #SUBJECT}. */
  private enum Ending {
    LENGTH("length") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 3);
        run.finish();
      }
    },
    STOP_TOKEN("stop") {
      @Override
      void happen(LiveRun run) {
        run.submit(
            LiveRun.request(SUBJECT, 5).stopRule(StopRule.maxTokens(9).withStopTokenIds(100)));
        run.finish();
      }
    },
    AFTER_A_PREEMPTION("length") {
      @Override
      void happen(LiveRun run) {
        preempt(run);
        run.finish();
      }
    },
    ABORT_BEFORE_IT_WAS_TAKEN_IN("abort") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 3).cancel();
        run.finish();
      }
    },
    ABORT_WAITING("abort") {
      @Override
      void happen(LiveRun run) {
        final RequestHandle subject = waiting(run);
        subject.cancel();
        subject.cancel();
        run.finish();
      }
    },
    ABORT_RUNNING("abort") {
      @Override
      void happen(LiveRun run) {
        final RequestHandle subject = run.submit(SUBJECT, 5, 30);
        run.steps(3);
        subject.cancel();
        run.finish();
      }
    },
    ABORT_PREEMPTED("abort") {
      @Override
      void happen(LiveRun run) {
        preempt(run).cancel();
        run.finish();
      }
    },
    ABORT_IN_A_STEP("abort") {
      @Override
      void happen(LiveRun run) {
        final RequestHandle subject = run.submit(SUBJECT, 5, 30);
        run.executor.thenAnswer(
            (plan, output) -> {
              subject.cancel();
              return run.executor.answer(plan, output);
            });
        run.finish();
      }
    },
    ABORT_IN_THE_STEP_THAT_ENDS_IT("length") {
      @Override
      void happen(LiveRun run) {
        final RequestHandle subject = run.submit(SUBJECT, 5, 1);
        run.executor.thenAnswer(
            (plan, output) -> {
              subject.cancel();
              return run.executor.answer(plan, output);
            });
        run.finish();
      }
    },
    REJECTED_TOO_LONG("rejected: context_length_limit") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 200, 3);
        run.finish();
      }
    },
    REJECTED_QUEUE_FULL("rejected: queue_full") {
      @Override
      LiveRun prepare(LiveRun run) {
        return run.settings(builder -> builder.submissionQueueCapacity(1));
      }

      @Override
      void happen(LiveRun run) {
        run.submit("first", 5, 3);
        run.submit(SUBJECT, 5, 3);
        run.finish();
      }
    },
    REJECTED_BY_A_POLICY("rejected_by_policy") {
      @Override
      LiveRun prepare(LiveRun run) {
        final AdmissionGate gate =
            (request, step) ->
                request.id().equals(SUBJECT)
                    ? AdmissionGate.Verdict.REJECT
                    : AdmissionGate.Verdict.ADMIT;
        return run.settings(builder -> builder.policies(Policies.builder().gate(gate).build()));
      }

      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 3);
        run.finish();
      }
    },
    DEADLINE_BEFORE_IT_WAS_TAKEN_IN("deadline") {
      @Override
      void happen(LiveRun run) {
        run.submit(LiveRun.request(SUBJECT, 5).maxTokens(90).timeout(Duration.ofNanos(5)));
        run.clock.advance(5);
        run.finish();
      }
    },
    DEADLINE_WAITING("deadline") {
      @Override
      void happen(LiveRun run) {
        waiting(run);
        run.clock.advance(TIMEOUT_NS);
        run.finish();
      }
    },
    DEADLINE_RUNNING("deadline") {
      @Override
      void happen(LiveRun run) {
        run.submit(LiveRun.request(SUBJECT, 5).maxTokens(90).timeout(Duration.ofNanos(TIMEOUT_NS)));
        run.steps(2);
        run.clock.advance(TIMEOUT_NS);
        run.finish();
      }
    },
    DEADLINE_PREEMPTED("deadline") {
      @Override
      void happen(LiveRun run) {
        preempt(run);
        run.clock.advance(TIMEOUT_NS);
        run.finish();
      }
    },
    SHUTDOWN_BEFORE_IT_WAS_TAKEN_IN("shutdown") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 3);
        run.close();
      }
    },
    SHUTDOWN_WAITING("shutdown") {
      @Override
      void happen(LiveRun run) {
        waiting(run);
        run.close();
      }
    },
    SHUTDOWN_RUNNING("shutdown") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.steps(3).close();
      }
    },
    SHUTDOWN_PREEMPTED("shutdown") {
      @Override
      void happen(LiveRun run) {
        preempt(run);
        run.close();
      }
    },
    SHUTDOWN_IN_A_STEP("shutdown") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.executor.thenAnswer(
            (plan, output) -> {
              run.engine().close();
              return run.executor.answer(plan, output);
            });
        run.steps(1);
      }
    },
    EXECUTOR_THROWS_AT_SUBMIT("executor_failed") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.executor.onSubmit(
            plan -> {
              run.executor.onSubmit(next -> {});
              throw new IllegalStateException("submit");
            });
        run.finish();
      }
    },
    EXECUTOR_THROWS_AT_AWAIT("executor_failed") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.steps(2);
        run.executor.thenAnswer(
            (plan, output) -> {
              throw new IllegalStateException("await");
            });
        run.executor.onSubmit(plan -> {});
        run.finish();
      }
    },
    EXECUTOR_FAILS_ITS_ENTRY("executor_failed") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.executor.thenAnswer(
            (plan, output) -> {
              run.executor.answer(plan, output);
              output.fail(0, new IllegalStateException("entry"));
              return true;
            });
        run.finish();
      }
    },
    EXECUTOR_ANSWERS_LATE("executor_failed") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.executor.thenAnswer((plan, output) -> false);
        run.executor.thenAnswer((plan, output) -> false);
        run.steps(6).finish();
      }
    },
    EXECUTOR_FAILURE_ENDS_THE_ENGINE("executor_failed") {
      @Override
      LiveRun prepare(LiveRun run) {
        return run.settings(builder -> builder.onExecutorFailure(ExecutorFailurePolicy.STOP));
      }

      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 30);
        run.executor.thenAnswer(
            (plan, output) -> {
              throw new IllegalStateException("await");
            });
        run.steps(1);
      }
    },
    LISTENER_THROWS_AT_A_TOKEN("listener_failed") {
      @Override
      void happen(LiveRun run) {
        run.submit(
            LiveRun.request(SUBJECT, 5).maxTokens(30),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                throw new IllegalStateException("token");
              }
            });
        run.finish();
      }
    },
    LISTENER_THROWS_AT_THE_END("length") {
      @Override
      void happen(LiveRun run) {
        run.submit(
            LiveRun.request(SUBJECT, 5).maxTokens(2),
            new TokenListener() {
              @Override
              public void onDone(RequestOutcome outcome) {
                throw new IllegalStateException("end");
              }
            });
        run.finish();
      }
    },
    OUTGROWS_THE_CACHE("kv_cache_exhausted") {
      @Override
      void happen(LiveRun run) {
        run.submit(SUBJECT, 5, 100);
        run.finish();
      }
    },
    DRAINED("length") {
      @Override
      void happen(LiveRun run) throws InterruptedException {
        run.submit(SUBJECT, 5, 5);
        run.steps(1);
        assertThat(run.engine().drain(Duration.ofSeconds(20))).isTrue();
      }
    },
    REFUSED_WHILE_DRAINING("rejected: engine_closed") {
      @Override
      void happen(LiveRun run) throws InterruptedException {
        run.submit(
            LiveRun.request("other", 5).maxTokens(5),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                if (index == 2) {
                  run.submit(SUBJECT, 5, 5);
                }
              }
            });
        run.steps(1);
        assertThat(run.engine().drain(Duration.ofSeconds(20))).isTrue();
      }
    };

    static final int TIMEOUT_NS = 1_000_000;
    final String reason;

    Ending(String reason) {
      this.reason = reason;
    }

    /** Settings of the engine. */
    LiveRun prepare(LiveRun run) {
      return name().endsWith("WAITING") ? run.seats(1) : run;
    }

    /** How it comes to that end. */
    abstract void happen(LiveRun run) throws InterruptedException;

    int blocks() {
      return name().contains("PREEMPT") ? 2 : 12;
    }

    private static RequestHandle waiting(LiveRun run) {
      run.submit("other", 5, 20);
      final RequestHandle subject =
          run.submit(
              LiveRun.request(SUBJECT, 5).maxTokens(90).timeout(Duration.ofNanos(TIMEOUT_NS)));
      run.steps(2);
      assertThat(run.engine().stats().waiting()).isEqualTo(1);
      return subject;
    }

    /** Both fit at first; then the older one needs a block. */
    private static RequestHandle preempt(LiveRun run) {
      run.submit("other", 4, 3);
      final RequestHandle subject =
          run.submit(
              LiveRun.request(SUBJECT, 4).maxTokens(3).timeout(Duration.ofNanos(TIMEOUT_NS)));
      run.steps(2);
      assertThat(run.engine().stats().waiting()).as("preempted").isEqualTo(1);
      return subject;
    }
  }

  @ParameterizedTest
  @EnumSource(Ending.class)
  void shouldEndOnce(Ending ending) throws Exception {
    final LiveRun run = new LiveRun(temporary.resolve("journal"), ending.blocks());
    try (run) {
      ending.prepare(run).engine();
      ending.happen(run);
      if (run.engine().state() == EngineState.NEW || run.engine().state() == EngineState.RUNNING) {
        run.submit("healthy", 4, 2);
        run.finish();
      }
    }

    final JournalBooks books = JournalBooks.of(run.journal);
    assertThat(run.toldToProbe.get(SUBJECT)).as("probe").containsExactly(ending.reason);
    assertThat(books.ends).as("journal").isEqualTo(run.toldToProbe);
    assertThat(run.toldToListener).as("listeners").isEqualTo(run.toldToProbe);
    assertThat(run.toldToProbe.values()).as("everybody's ends").allMatch(each -> each.size() == 1);
    assertThat(run.handles).allMatch(RequestHandle::isDone);
    assertThat(books.faults).as("blocks").isEmpty();
    assertThat(books.heldBlocks()).as("blocks held after all").isZero();
    assertThat(books.missingBlocks()).as("blocks that nobody has").isZero();
    assertThat(healthyEnds(run.toldToProbe)).isIn(List.of("length"), List.of());
  }

  private static List<String> healthyEnds(Map<String, List<String>> ends) {
    return ends.getOrDefault("healthy", List.of());
  }
}
