package dev.headway.cli.option;

import java.util.ArrayList;
import java.util.List;

/**
 * One option of one command under trial.
 *
 * @param command its name
 * @param option as written, with its value: {@code --watermark=0.5}
 * @param base the words of the run without it, the command first
 * @param exitCode of the run with it, or -1 for that of the run without
 * @param reason why it is not tried here, or empty
 */
record OptionTrial(String command, String option, List<String> base, int exitCode, String reason) {

  OptionTrial {
    base = List.copyOf(base);
  }

  /** The option's name: what stands before the value. */
  String name() {
    return option.replaceFirst("=.*", "");
  }

  boolean isTried() {
    return reason.isEmpty();
  }

  /** The words of the run with the option, which stands in place of an equal one. */
  List<String> words() {
    final List<String> words = new ArrayList<>(base);
    words.removeIf(word -> word.startsWith(name() + "="));
    words.add(option);
    return words;
  }

  @Override
  public String toString() {
    return command + " " + option;
  }
}
