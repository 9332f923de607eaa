package dev.headway.spring.boot;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Which properties the engine's options are set by: a property ends with the option's name. */
final class PropertyKeys {

  private static final Pattern HUMP = Pattern.compile("([a-z0-9])([A-Z])");

  private PropertyKeys() {}

  /** The properties of the options that a message names, in the order of the properties. */
  static List<String> ofOptionsIn(String message) {
    final List<String> keys = new ArrayList<>();
    collect("headway", HeadwayProperties.class, message, keys);
    return keys;
  }

  private static void collect(String prefix, Class<?> group, String message, List<String> keys) {
    for (RecordComponent option : group.getRecordComponents()) {
      final String key = prefix + "." + kebab(option.getName());
      if (option.getType().isRecord()) {
        collect(key, option.getType(), message, keys);
      } else if (message.contains(key)
          || (HUMP.matcher(option.getName()).find() // a single word would be found in any text
              && Pattern.compile("\\b" + option.getName() + "\\b").matcher(message).find())) {
        keys.add(key);
      }
    }
  }

  private static String kebab(String name) {
    return HUMP.matcher(name).replaceAll("$1-$2").toLowerCase(Locale.ROOT);
  }
}
