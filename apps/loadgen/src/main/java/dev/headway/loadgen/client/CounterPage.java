package dev.headway.loadgen.client;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counters of a page in Prometheus' text format, each summed over its labels. What is no counter,
 * and the buckets of histograms, are passed over. Stateless.
 */
final class CounterPage {

  private static final String TYPE = "# TYPE ";

  private CounterPage() {}

  /** Reads a page; lines that are not understood are passed over. */
  static Map<String, Double> read(String page) {
    final Set<String> counters = new HashSet<>();
    final Map<String, Double> sums = new TreeMap<>();
    page.lines()
        .forEach(
            line -> {
              if (line.startsWith(TYPE)) {
                final String[] words = line.substring(TYPE.length()).split(" ", -1);
                if (words.length == 2 && words[1].equals("counter")) {
                  counters.add(words[0]);
                  counters.add(words[0] + "_total"); // OpenMetrics leaves it out of the type
                }
              } else if (!line.startsWith("#")) {
                add(line, counters, sums);
              }
            });
    return sums;
  }

  private static void add(String line, Set<String> counters, Map<String, Double> sums) {
    final int brace = line.indexOf('{');
    final int end = line.lastIndexOf('}');
    final int blank = line.indexOf(' ', Math.max(0, end));
    if (blank < 0) {
      return;
    }
    final String name = line.substring(0, brace < 0 ? blank : brace);
    if (counters.contains(name)) {
      try {
        final String value = line.substring(blank).strip().split(" ", -1)[0];
        sums.merge(name, Double.parseDouble(value), Double::sum);
      } catch (NumberFormatException e) {
        return; // not a line of this format
      }
    }
  }
}
