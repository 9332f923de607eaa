package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.TokenConstraints;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SchedulerFixture.Ended;
import dev.headway.testkit.TextGrammar;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Outputs that a grammar constrains. */
class GrammarTest {

  private static final int ANYTHING = -1;

  private final TextGrammar grammar = new TextGrammar(32, 3, 4, 5);

  /** One request with the grammar, one without. */
  private SchedulerFixture given(SchedulerFixture fixture) {
    fixture.waiting(request("c", text(0, 6)).grammar(grammar.compiled(), null));
    return fixture.release("c", fixture.view("c").request().holds().getFirst()).waiting("free", 4);
  }

  private static int[] rows(SchedulerFixture run, int entry) {
    final TokenConstraints constraints = run.planOut().constraints();
    final int[] rows = new int[constraints.rows(entry)];
    assertThat(constraints.fill(entry, rows, 0, 1)).isEqualTo(rows.length);
    return rows;
  }

  @Test
  void shouldSayWhichTokensMayComeNext() {
    final SchedulerFixture given = given(fixture()).answers("c", 3, 4);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("c", "free");
    assertThat(rows(given, 0)).containsExactly(1 << 3);
    assertThat(rows(given, 1)).isEmpty();
    given.update().schedule();
    assertThat(rows(given, 0)).containsExactly(1 << 4);
  }

  @Test
  void shouldLeaveAPromptChunkUnconstrained() {
    final SchedulerFixture given = given(fixture().maxNumSeqs(4).maxNumBatchedTokens(4));

    given.schedule();

    assertThat(given.planOut().constraints().isEmpty()).isTrue();
    assertThat(given.planOut().constraints().rows(0)).isZero();
  }

  @Test
  void shouldHaveNoConstraintsWithoutGrammars() {
    final SchedulerFixture given = fixture().waiting("free", 4).schedule();

    assertThat(given.planOut().constraints()).isSameAs(TokenConstraints.NONE);
  }

  @Test
  void shouldEndTheRequestWhoseTokenIsRefusedWithThatToken() {
    final SchedulerFixture given = given(fixture()).answers("c", 3, 9);

    given.steps(2).schedule();

    assertThat(given.ended("c")).isEqualTo(Ended.with(FinishReason.GRAMMAR_REFUSED));
    assertThat(given.outputs("c")).containsExactly(3, 9);
    assertThat(given.plan()).schedulesOnly("free");
  }

  @Test
  void shouldAllowEverythingOnceTheTextIsComplete() {
    final SchedulerFixture given = given(fixture()).answers("c", 3, 4, 5, 9);

    given.steps(3).schedule();
    assertThat(rows(given, 0)).containsExactly(ANYTHING);
    given.update().step();

    assertThat(given.ended("c")).isNull();
    assertThat(given.outputs("c")).startsWith(3, 4, 5, 9);
  }

  @Test
  void shouldGoOnWhereItWasAfterAPreemption() {
    final SchedulerFixture given = given(fixture()).answers("c", 3, 4, 5);
    given.step();
    given.reset(ResetScope.PREEMPT_RUNNING);

    given.schedule();

    assertThat(rows(given, 0)).containsExactly(1 << 4);
    assertThat(given.update().step().outputs("c")).containsExactly(3, 4, 5);
  }

  @Test
  void shouldKeepTheDraftsThatTheGrammarAllows() {
    final SchedulerFixture given =
        given(
                fixture()
                    .settings(
                        settings ->
                            settings.speculation(
                                SpeculationOptions.of(SpeculativeMethod.NGRAM, 3))))
            .answers("c", 3);
    given.step();
    given.driver().scheduler().proposeDrafts(given.view("c"), new int[] {4, 7, 5}, 3);

    given.schedule();

    assertThat(given.planOut().drafts().count(0)).isEqualTo(1);
    assertThat(rows(given, 0)).containsExactly(1 << 4, 1 << 5);
    assertThat(grammar.accepted()).isEqualTo(1);
  }

  @Test
  void shouldHoldARequestUntilItsGrammarIsCompiled() {
    final CompletableFuture<Grammar> compiling = new CompletableFuture<>();
    final SchedulerFixture given =
        fixture().waiting(request("c", text(0, 6)).grammar(compiling, null)).schedule().update();
    assertThat(given.plan()).isEmpty();
    compiling.complete(grammar);

    given.release("c", given.view("c").request().holds().getFirst()).schedule();

    assertThat(rows(given, 0)).containsExactly(1 << 3);
  }

  @Test
  void shouldRefuseASecondGrammar() {
    final Request.Builder builder = request("c", 1).grammar(grammar.compiled(), null);

    assertThatThrownBy(() -> builder.grammar(grammar.compiled(), null))
        .hasMessage("a request must have at most one grammar: id=c");
  }
}
