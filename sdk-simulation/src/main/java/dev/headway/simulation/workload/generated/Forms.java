package dev.headway.simulation.workload.generated;

import dev.headway.api.internal.NearestName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Values of an option that are a word and numbers behind colons, as in {@code
 * normal:256:100:2:800}. The usage of a form says how many numbers it takes: one for each word
 * behind a colon, or any number of pairs where it ends with {@code ...}.
 */
final class Forms<T> {
  private record Form<T>(String usage, int numbers, boolean repeated, Function<double[], T> maker) {
    boolean takes(int count) {
      return repeated ? count > 0 && count % numbers == 0 : count == numbers;
    }
  }

  private final Map<String, Form<T>> forms = new LinkedHashMap<>();

  Forms<T> add(String usage, Function<double[], T> maker) {
    final boolean repeated = usage.endsWith("...");
    final String[] words = usage.split(":", -1);
    forms.put(words[0], new Form<>(usage, words.length - 1, repeated, maker));
    return this;
  }

  /** The usages of all forms. */
  List<String> usages() {
    return forms.values().stream().map(Form::usage).toList();
  }

  /** Makes the value that a text describes. */
  T parse(String option, String text) {
    final String[] words = text.split(":", -1);
    final Form<T> form = forms.get(words[0].strip());
    if (form == null) {
      throw new IllegalArgumentException(
          "%s must be one of %s: %s=%s%s"
              .formatted(
                  option,
                  String.join(", ", usages()),
                  option,
                  text,
                  NearestName.hint(words[0].strip(), forms.keySet())));
    }
    final double[] numbers = new double[words.length - 1];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(option, text, form, words[i + 1]);
    }
    if (!form.takes(numbers.length)) {
      throw misused(option, text, form, null);
    }
    return form.maker.apply(numbers);
  }

  private static double number(String option, String text, Form<?> form, String word) {
    try {
      return Double.parseDouble(word);
    } catch (NumberFormatException e) {
      throw misused(option, text, form, e);
    }
  }

  private static IllegalArgumentException misused(
      String option, String text, Form<?> form, @Nullable Throwable e) {
    return new IllegalArgumentException(
        "%s must be %s, with numbers: %s=%s".formatted(option, form.usage, option, text), e);
  }

  /** A number of tokens; others than integers are refused. */
  static int tokens(double number) {
    if (number != StrictMath.rint(number) || Math.abs(number) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("tokens must be an integer: tokens=" + number);
    }
    return (int) number;
  }
}
