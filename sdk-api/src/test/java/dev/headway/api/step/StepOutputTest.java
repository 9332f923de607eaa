package dev.headway.api.step;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StepOutputTest {

  private final StepOutput output = new StepOutput();

  @Test
  void shouldBeEmptyOnceBegun() {
    output.begin(7, 3);

    assertThat(output.stepId()).isEqualTo(7);
    assertThat(output.size()).isEqualTo(3);
    assertThat(output.hasFailures()).isFalse();
    for (int entry = 0; entry < 3; entry++) {
      assertThat(output.tokenCount(entry)).isZero();
      assertThat(output.failure(entry)).isNull();
    }
    assertThat(output.prepareNs()).isEqualTo(ABSENT);
    assertThat(output.forwardNs()).isEqualTo(ABSENT);
    assertThat(output.sampleNs()).isEqualTo(ABSENT);
    assertThat(output.deviceMemoryUsedBytes()).isEqualTo(ABSENT);
    assertThat(output.firstOfKind()).isEqualTo(FirstOfKind.UNKNOWN);
    assertThat(output.deviceUtilizationPermille()).isEqualTo(ABSENT);
  }

  @Test
  void shouldKeepSeveralTokensOfAnEntryInOrder() {
    output.begin(1, 2);

    output.addToken(1, 10);
    output.addToken(0, 5);
    output.addToken(1, 11);
    output.addToken(1, 12);

    assertThat(output.tokenCount(0)).isEqualTo(1);
    assertThat(output.token(0, 0)).isEqualTo(5);
    assertThat(output.tokenCount(1)).isEqualTo(3);
    assertThat(List.of(output.token(1, 0), output.token(1, 1), output.token(1, 2)))
        .containsExactly(10, 11, 12);
  }

  @Test
  void shouldForgetTheStepBefore() {
    output.begin(1, 20);
    for (int entry = 0; entry < 20; entry++) {
      output.addToken(entry, entry);
      output.fail(entry, new IllegalStateException());
    }
    output.timing(1, 2, 3);
    output.device(4, 5);
    output.firstOfKind(true);

    output.begin(2, 1);
    output.begin(3, 20);

    assertThat(output.hasFailures()).isFalse();
    for (int entry = 0; entry < 20; entry++) {
      assertThat(output.tokenCount(entry)).isZero();
      assertThat(output.failure(entry)).isNull();
    }
    assertThat(output.forwardNs()).isEqualTo(ABSENT);
    assertThat(output.deviceMemoryUsedBytes()).isEqualTo(ABSENT);
  }

  @Test
  void shouldKeepTheLogprobsOfEachTokenBesideIt() {
    final SplittableRandom random = new SplittableRandom(7);
    for (int step = 1; step < 200; step++) {
      final int size = 1 + random.nextInt(40);
      output.begin(step, size);
      assertThat(output.hasLogprobs()).as("step %d, seed 7", step).isFalse();
      final List<List<TokenLogprobs>> model = new ArrayList<>();
      for (int entry = 0; entry < size; entry++) {
        model.add(new ArrayList<>());
      }
      for (int i = random.nextInt(120); i > 0; i--) {
        final int entry = random.nextInt(size);
        final TokenLogprobs logprobs = random.nextInt(3) == 0 ? logprobs(-i) : null;
        if (logprobs == null) {
          output.addToken(entry, i);
        } else {
          output.addToken(entry, i, logprobs);
        }
        model.get(entry).add(logprobs);
      }

      for (int entry = 0; entry < size; entry++) {
        final List<TokenLogprobs> held = new ArrayList<>();
        for (int i = 0; i < output.tokenCount(entry); i++) {
          held.add(output.logprobs(entry, i));
        }
        assertThat(held).as("seed 7, step %d, entry %d", step, entry).isEqualTo(model.get(entry));
      }
    }
  }

  @Test
  void shouldKeepTheLogprobsOfASecondTokenWhereEveryRowIsInUse() {
    final int rows = 16; // as many as a new output has
    output.begin(1, rows);
    for (int entry = 0; entry < rows; entry++) {
      output.addToken(entry, 1, logprobs(-entry));
    }

    for (int entry = 0; entry < rows; entry++) {
      output.addToken(entry, 2, logprobs(-100 - entry));
    }

    for (int entry = 0; entry < rows; entry++) {
      assertThat(output.logprobs(entry, 0)).isEqualTo(logprobs(-entry));
      assertThat(output.logprobs(entry, 1)).isEqualTo(logprobs(-100 - entry));
    }
  }

  private static TokenLogprobs logprobs(float logprob) {
    return new TokenLogprobs(logprob, 1, new int[0], new float[0]);
  }

  @Test
  void shouldHoldWhatANaiveModelHolds() {
    for (int seed = 0; seed < 200; seed++) {
      final SplittableRandom random = new SplittableRandom(seed);
      for (int step = 1; step < 20; step++) {
        final int size = random.nextInt(70);
        final List<List<Integer>> model = new ArrayList<>();
        output.begin(step, size);
        for (int entry = 0; entry < size; entry++) {
          model.add(new ArrayList<>());
        }
        for (int i = 0; size > 0 && i < random.nextInt(300); i++) {
          final int entry = random.nextInt(size);
          output.addToken(entry, i);
          model.get(entry).add(i);
        }

        for (int entry = 0; entry < size; entry++) {
          final List<Integer> tokens = new ArrayList<>();
          for (int i = 0; i < output.tokenCount(entry); i++) {
            tokens.add(output.token(entry, i));
          }
          assertThat(tokens)
              .as("seed %d, step %d, entry %d", seed, step, entry)
              .isEqualTo(model.get(entry));
        }
      }
    }
  }

  @Test
  void shouldKeepAFailureBesideTheOthers() {
    final RuntimeException cause = new IllegalStateException("NaN");
    output.begin(1, 3);

    output.fail(1, cause);

    assertThat(output.hasFailures()).isTrue();
    assertThat(output.failure(0)).isNull();
    assertThat(output.failure(1)).isSameAs(cause);
    assertThat(output.failure(2)).isNull();
  }

  @Test
  void shouldRequireACauseOfAFailure() {
    output.begin(1, 1);

    assertThatThrownBy(() -> output.fail(0, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("cause");
    assertThat(output.hasFailures()).isFalse();
  }

  @Test
  void shouldKeepTimingAndDeviceFigures() {
    output.begin(1, 1);

    output.timing(10, 20, ABSENT);
    output.device(1L << 40, 999);

    assertThat(output.prepareNs()).isEqualTo(10);
    assertThat(output.forwardNs()).isEqualTo(20);
    assertThat(output.sampleNs()).isEqualTo(ABSENT);
    assertThat(output.deviceMemoryUsedBytes()).isEqualTo(1L << 40);
    assertThat(output.deviceUtilizationPermille()).isEqualTo(999);
    assertThat(output.firstOfKind()).isEqualTo(FirstOfKind.UNKNOWN);
    output.firstOfKind(true);
    assertThat(output.firstOfKind()).isEqualTo(FirstOfKind.FIRST);
    output.firstOfKind(false);
    assertThat(output.firstOfKind()).isEqualTo(FirstOfKind.NOT_FIRST);
  }

  @Test
  void shouldRefuseAnEntryThatIsNotThere() {
    output.begin(9, 2);

    assertThatThrownBy(() -> output.addToken(2, 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("entry must be in [0, size): entry=2, size=2, stepId=9");
    assertThatThrownBy(() -> output.fail(-1, new IllegalStateException()))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("entry must be in [0, size): entry=-1, size=2, stepId=9");
    assertThatThrownBy(() -> output.tokenCount(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> output.token(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> output.failure(2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldKnowWhenItWasAvailableAndWhyItNeverWas() {
    final Throwable lost = new IllegalStateException("connection lost");
    assertThat(output.availableNs()).as("a new one").isEqualTo(ABSENT);

    output.begin(1, 1);
    output.availableAt(70);
    output.unanswered(lost);

    assertThat(output.availableNs()).isEqualTo(70);
    assertThat(output.unansweredBecause()).isSameAs(lost);
    output.begin(2, 1);
    assertThat(output.availableNs()).isEqualTo(ABSENT);
    assertThat(output.unansweredBecause()).isNull();
  }

  @Test
  void shouldSayWhetherAnyTokenCameWithLogprobs() {
    output.begin(1, 2);
    output.addToken(0, 5);
    assertThat(output.hasLogprobs()).isFalse();
    assertThat(output.logprobs(0, 0)).isNull();

    output.addToken(1, 6, logprobs(-1));

    assertThat(output.hasLogprobs()).isTrue();
    assertThat(output.logprobs(0, 0)).isNull();
    assertThat(output.logprobs(1, 0)).isEqualTo(logprobs(-1));
    assertThatThrownBy(() -> output.logprobs(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldKeepTheDraftsOfAnEntryInOrderUntilTheNextStep() {
    output.begin(1, 2);
    assertThat(output.hasDrafts()).isFalse();

    output.addDraft(0, 10);
    output.addDraft(1, 20);
    output.addDraft(0, 11);
    output.addDraft(0, 12);

    assertThat(output.hasDrafts()).isTrue();
    assertThat(draftsOf(0)).containsExactly(10, 11, 12);
    assertThat(draftsOf(1)).containsExactly(20);
    output.begin(2, 2);
    assertThat(output.hasDrafts()).isFalse();
    assertThat(draftsOf(0)).isEmpty();
    assertThat(draftsOf(1)).isEmpty();
  }

  @Test
  void shouldHoldTheDraftsThatANaiveModelHolds() {
    for (int seed = 0; seed < 20; seed++) {
      final SplittableRandom random = new SplittableRandom(seed);
      for (int step = 1; step < 20; step++) {
        final int size = 1 + random.nextInt(70);
        final List<List<Integer>> model = new ArrayList<>();
        output.begin(step, size);
        for (int entry = 0; entry < size; entry++) {
          model.add(new ArrayList<>());
        }
        for (int i = random.nextInt(200); i > 0; i--) {
          final int entry = random.nextInt(size);
          output.addDraft(entry, i);
          model.get(entry).add(i);
        }

        for (int entry = 0; entry < size; entry++) {
          assertThat(draftsOf(entry))
              .as("seed %d, step %d, entry %d", seed, step, entry)
              .isEqualTo(model.get(entry));
        }
      }
    }
  }

  @Test
  void shouldSayHowManyExpertsComputedUntilTheNextStep() {
    output.begin(1, 1);
    assertThat(output.activatedExperts()).isEqualTo(ABSENT);

    output.activatedExperts(0);
    assertThat(output.activatedExperts()).isZero();
    output.activatedExperts(96);
    assertThat(output.activatedExperts()).isEqualTo(96);
    output.begin(2, 1);
    assertThat(output.activatedExperts()).isEqualTo(ABSENT);

    assertThatThrownBy(() -> output.activatedExperts(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("experts must be >= 0: experts=-1");
  }

  private List<Integer> draftsOf(int entry) {
    final List<Integer> drafts = new ArrayList<>();
    for (int i = 0; i < output.draftCount(entry); i++) {
      drafts.add(output.draft(entry, i));
    }
    return drafts;
  }

  @Test
  void shouldRefuseDraftsOfAnEntryThatIsNotThere() {
    output.begin(9, 2);

    assertThatThrownBy(() -> output.addDraft(2, 1))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("entry must be in [0, size): entry=2, size=2, stepId=9");
    assertThatThrownBy(() -> output.draftCount(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> output.draft(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
