package dev.headway.report.explain;

import dev.headway.probes.chronicle.JournalEnd;
import java.util.List;

/** What came of a question about a journal. */
public sealed interface Explanation {

  /**
   * The answer.
   *
   * @param text plain text of up to 92 columns, lines ended by {@code \n}
   * @param json the same for programs
   * @param end how the journal ended: what is not in it is not in the answer
   */
  record Answer(String text, String json, JournalEnd end) implements Explanation {}

  /**
   * There is no such request.
   *
   * @param message what was looked for, and where
   * @param closest ids most like it, the most like first
   */
  record Unknown(String message, List<String> closest) implements Explanation {

    /** Copies the list. */
    public Unknown {
      closest = List.copyOf(closest);
    }
  }
}
