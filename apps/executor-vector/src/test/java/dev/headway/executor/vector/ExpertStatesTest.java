package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExpertStatesTest {

  private final ModelConfig config = TestModels.tiny(ModelFamily.QWEN3_MOE);
  private final ExpertsShape shape = config.experts();

  @Test
  void shouldGroupTheRowsOfEachExpertThatAnyRowHas() {
    final ExpertStates states = new ExpertStates(config, shape, 1);
    states.reserve(2);
    prefer(states, 0, 6, 1, 3);
    prefer(states, 1, 3, 7, 1);

    states.group(2);

    assertThat(states.active()).isEqualTo(4);
    assertThat(new int[] {states.expert(0), states.expert(1), states.expert(2), states.expert(3)})
        .containsExactly(1, 3, 6, 7);
    assertThat(new int[] {0, 2, 4, 5, 6})
        .containsExactly(
            states.begin(0), states.begin(1), states.begin(2), states.begin(3), states.begin(4));
    assertThat(states.slotAt(2)).isEqualTo(1); // of row 0, whose experts are 1, 3 and 6
    assertThat(states.slotAt(3)).isEqualTo(4); // of row 1, whose experts are 1, 3 and 7
    assertThat(states.weight(1)).isGreaterThan(states.weight(0)); // 3 was preferred to 1
  }

  @Test
  void shouldPutEachSlotInOnePlaceOfItsExpert() {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    final ExpertStates states = new ExpertStates(config, shape, 1);
    for (int rows = 1; rows < 60; rows++) {
      states.reserve(rows);
      for (int row = 0; row < rows; row++) {
        final int first = random.nextInt(6);
        prefer(states, row, first, first + 1, first + 2);
      }

      states.group(rows);

      int place = 0;
      for (int group = 0; group < states.active(); group++) {
        int before = -1;
        assertThat(states.begin(group)).isEqualTo(place);
        for (; place < states.begin(group + 1); place++) {
          final int slot = states.slotAt(place);
          assertThat(states.placeOf(slot)).as("seed=%d", seed).isEqualTo(place);
          assertThat(slot).as("rows ascend, seed=%d", seed).isGreaterThan(before);
          before = slot;
        }
      }
      assertThat(place).as("seed=%d", seed).isEqualTo(3 * rows);
    }
  }

  /** Gives a row these experts, the last one with the largest weight. */
  private void prefer(ExpertStates states, int row, int... experts) {
    final float[] logits = states.logits.values();
    for (int expert = 0; expert < shape.experts(); expert++) {
      logits[states.logits.at(row) + expert] = 0;
    }
    for (int i = 0; i < experts.length; i++) {
      logits[states.logits.at(row) + experts[i]] = i + 1;
    }
    states.choose(0, row, new float[0]);
  }
}
