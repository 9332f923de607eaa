package dev.headway.grammar.schema;

import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The formats of strings that are kept, as regular expressions. Stateless; any thread. */
final class Formats {

  /** RFC 3339; 29 February in leap years only. */
  private static final String DATE =
      "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
          + "|02-(0[1-9]|1[0-9]|2[0-8]))"
          + "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";

  private static final String TIME =
      "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?"
          + "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

  private static final String LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?";
  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

  private static final Map<String, String> REGEX =
      Map.of(
          "date", DATE,
          "time", TIME,
          "date-time", DATE + "T" + TIME,
          "uuid", "[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
          "email",
              "[A-Za-z0-9_+-]{1,31}(\\.[A-Za-z0-9_+-]{1,31})?@(" + LABEL + "\\.){1,3}[A-Za-z]{2,8}",
          "ipv4", "(" + BYTE + "\\.){3}" + BYTE,
          "hostname", LABEL + "(\\." + LABEL + "){0,3}");

  private Formats() {}

  /** The expression of a format, or null if it is not known. */
  static @Nullable String regex(String format) {
    return REGEX.get(format);
  }

  /** Names of all, in order. */
  static String names() {
    return String.join(", ", new TreeSet<>(REGEX.keySet()));
  }
}
