package dev.headway.executor.vector;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Prints the vectors' width and the bits of some logits, a line for each kind of weights. */
final class LogitBits {

  private LogitBits() {}

  /** Prints. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) {
    System.out.println("lanes=" + Lanes.COUNT);
    of().forEach(System.out::println);
  }

  static List<String> of() {
    final List<String> lines = new ArrayList<>();
    for (WeightType type : WeightType.values()) {
      final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN2), 5, type);
      final int[] prompt = new Random(5).ints(37, 0, 97).toArray();
      try (Alone alone = new Alone(model, 1)) {
        final float[] logits = alone.logits(prompt);
        final int[] bits = new int[logits.length];
        Arrays.setAll(bits, i -> Float.floatToRawIntBits(logits[i]));
        lines.add(type + "=" + Arrays.toString(bits));
      }
    }
    return lines;
  }
}
