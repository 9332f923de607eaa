package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which request has which row. */
class TableSlotsTest {

  @Test
  void shouldTakeTheRowThatNoStepHasUsedForLongest() {
    final TableSlots slots = new TableSlots(2);
    slots.beginStep();
    final int first = slots.take(1);
    slots.beginStep();
    final int second = slots.take(2);
    slots.beginStep();
    slots.find(1);

    slots.beginStep();

    assertThat(slots.take(3)).isEqualTo(second);
    assertThat(slots.find(2)).isEqualTo(TableSlots.NONE);
    assertThat(slots.find(1)).isEqualTo(first);
  }

  @Test
  void shouldTakeNoRowThatTheStepUses() {
    final TableSlots slots = new TableSlots(2);
    slots.beginStep();
    slots.take(1);
    slots.take(2);

    assertThatThrownBy(() -> slots.take(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a step must not have more requests than there are block tables: tables=2");
  }

  /** Against a map, with numbers that share places of the hash. */
  @Test
  void shouldAnswerAsAMapDoes() {
    final Random random = new Random(11);
    for (int rows : new int[] {1, 2, 3, 7, 64}) {
      final TableSlots slots = new TableSlots(rows);
      final Map<Long, Integer> expected = new LinkedHashMap<>();
      for (int step = 0; step < 5_000; step++) {
        slots.beginStep();
        final List<Long> used = new ArrayList<>();
        for (int i = 1 + random.nextInt(rows); i > 0; i--) {
          final long number = random.nextInt(3 * rows) * (1L << random.nextInt(40));
          if (!used.contains(number)) {
            used.add(number);
          }
        }
        for (long number : used) {
          final Integer row = expected.remove(number);
          assertThat(slots.find(number)).isEqualTo(row == null ? TableSlots.NONE : row);
          if (row != null) {
            expected.put(number, row);
          }
        }
        for (long number : used) {
          if (!expected.containsKey(number)) {
            if (expected.size() == rows) {
              // rows used in one step are equally old: the one that went is looked for
              final int row = slots.take(number);
              expected.values().remove(row);
              expected.put(number, row);
            } else {
              expected.put(number, slots.take(number));
            }
          }
        }
        if (random.nextInt(3) == 0) {
          final long gone = used.get(random.nextInt(used.size()));
          slots.free(gone);
          slots.free(gone); // has none any more
          expected.remove(gone);
        }
        assertThat(new HashSet<>(expected.values())).hasSize(expected.size());
        assertThat(expected.values()).allMatch(row -> row >= 0 && row < rows);
        if (step % 1_000 == 999) {
          slots.clear();
          expected.clear();
        }
      }
    }
  }
}
