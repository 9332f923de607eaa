package dev.headway.server;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields of a request's body, each checked where it is read: the error names field, range and
 * value. A field that is null counts as absent. One thread.
 */
final class Fields {

  private static final int MAX_SHOWN_CHARS = 80;
  private static final int MAX_SHORT_CHARS = 1_024;

  private final ObjectNode body;
  private final String prefix;
  private final Set<String> read = new HashSet<>();

  Fields(ObjectNode body) {
    this(body, "");
  }

  private Fields(ObjectNode body, String prefix) {
    this.body = body;
    this.prefix = prefix;
  }

  private JsonNode value(String name) {
    read.add(name);
    return body.path(name);
  }

  /** Names in the object that were never asked for, as a path; those that are null left out. */
  List<String> unread() {
    final List<String> names = new ArrayList<>();
    body.properties()
        .forEach(
            field -> {
              if (!read.contains(field.getKey()) && !field.getValue().isNull()) {
                names.add(prefix + field.getKey());
              }
            });
    return names;
  }

  boolean has(String name) {
    return !isAbsent(value(name));
  }

  private static boolean isAbsent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  /** The raw value; missing or null if absent. */
  JsonNode get(String name) {
    return value(name);
  }

  Fields object(String name) {
    final JsonNode value = value(name);
    if (isAbsent(value)) {
      return new Fields(Json.object(), prefix + name + ".");
    }
    if (value instanceof ObjectNode object) {
      return new Fields(object, prefix + name + ".");
    }
    throw wrong(name, "an object", value);
  }

  /** Objects of an array of at most so many; none if it is absent. */
  List<Fields> objects(String name, int most) {
    final JsonNode value = value(name);
    final List<Fields> objects = new ArrayList<>();
    if (isAbsent(value)) {
      return objects;
    }
    if (!value.isArray() || value.size() > most) {
      throw wrong(name, "an array of at most " + most + " objects", value);
    }
    for (int i = 0; i < value.size(); i++) {
      if (!(value.path(i) instanceof ObjectNode object)) {
        throw wrong(name + "[" + i + "]", "an object", value.path(i));
      }
      objects.add(new Fields(object, prefix + name + "[" + i + "]."));
    }
    return objects;
  }

  boolean flag(String name, boolean otherwise) {
    final JsonNode value = value(name);
    if (isAbsent(value)) {
      return otherwise;
    }
    if (!value.isBoolean()) {
      throw wrong(name, "true or false", value);
    }
    return value.booleanValue();
  }

  /** A text of any length. */
  String text(String name, String otherwise) {
    return text(name, otherwise, Integer.MAX_VALUE);
  }

  /** A name or a salt, of at most 1,024 characters. */
  String shortText(String name, String otherwise) {
    return text(name, otherwise, MAX_SHORT_CHARS);
  }

  private String text(String name, String otherwise, int most) {
    final JsonNode value = value(name);
    if (isAbsent(value)) {
      return otherwise;
    }
    if (!value.isString() || value.stringValue().length() > most) {
      throw wrong(
          name,
          most == Integer.MAX_VALUE ? "a string" : "a string of at most " + most + " characters",
          value);
    }
    return value.stringValue();
  }

  int integer(String name, int otherwise, int least, int most) {
    return integer(name, least, most).orElse(otherwise);
  }

  OptionalInt integer(String name, int least, int most) {
    final OptionalLong value = whole(name, least, most);
    return value.isEmpty() ? OptionalInt.empty() : OptionalInt.of((int) value.getAsLong());
  }

  OptionalLong whole(String name, long least, long most) {
    final JsonNode value = value(name);
    if (isAbsent(value)) {
      return OptionalLong.empty();
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw wrong(name, "a whole number in [" + least + ", " + most + "]", value);
    }
    final long number = value.longValue();
    if (number < least || number > most) {
      throw wrong(name, "a whole number in [" + least + ", " + most + "]", value);
    }
    return OptionalLong.of(number);
  }

  float number(String name, float otherwise, double least, double most) {
    final JsonNode value = value(name);
    if (isAbsent(value)) {
      return otherwise;
    }
    final double number = value.isNumber() ? value.doubleValue() : Double.NaN;
    if (!(number >= least && number <= most)) {
      final String from = least == Float.MIN_NORMAL ? "(0" : "[" + least;
      throw wrong(name, "a number in " + from + ", " + most + "]", value);
    }
    return (float) number;
  }

  /** A string, or an array of at most so many; none of them empty. */
  List<String> texts(String name, int most) {
    final JsonNode value = value(name);
    final String rule = "a string or an array of at most " + most + " strings, none of them empty";
    final List<String> texts = new ArrayList<>();
    if (isAbsent(value)) {
      return texts;
    }
    if (value.isArray() && value.size() <= most) {
      for (JsonNode element : value) {
        texts.add(element.isString() ? element.stringValue() : "");
      }
    } else {
      texts.add(value.isString() ? value.stringValue() : "");
    }
    if (texts.contains("")) {
      throw wrong(name, rule, value);
    }
    return texts;
  }

  /** A string, or an array of at most so many, none of them empty or longer than 1,024. */
  List<String> shortTexts(String name, int most) {
    final List<String> texts = texts(name, most);
    for (String text : texts) {
      if (text.length() > MAX_SHORT_CHARS) {
        throw wrong(name, "strings of at most " + MAX_SHORT_CHARS + " characters", get(name));
      }
    }
    return texts;
  }

  /** Distinct token ids, at most so many; empty if absent. */
  int[] tokenIdSet(String name, int vocabularySize, int most) {
    final int[] ids = IntStream.of(tokenIds(name, vocabularySize)).distinct().toArray();
    if (ids.length > most) {
      throw wrong(name, "an array of at most " + most + " distinct token ids", get(name));
    }
    return ids;
  }

  /** An array of token ids; empty if absent. */
  int[] tokenIds(String name, int vocabularySize) {
    final JsonNode value = value(name);
    return isAbsent(value) ? new int[0] : tokenIds(name, value, vocabularySize);
  }

  int[] tokenIds(String name, JsonNode value, int vocabularySize) {
    final String rule = "an array of token ids in [0, " + vocabularySize + ")";
    if (!value.isArray()) {
      throw wrong(name, rule, value);
    }
    final int[] ids = new int[value.size()];
    for (int i = 0; i < ids.length; i++) {
      final JsonNode id = value.path(i);
      if (!id.isIntegralNumber()
          || !id.canConvertToInt()
          || id.intValue() < 0
          || id.intValue() >= vocabularySize) {
        throw wrong(name + "[" + i + "]", "a token id in [0, " + vocabularySize + ")", id);
      }
      ids[i] = id.intValue();
    }
    return ids;
  }

  ApiException wrong(String name, String rule, JsonNode value) {
    final String shown = value.isMissingNode() ? "(missing)" : value.toString();
    return ApiException.invalid(
        prefix + name,
        prefix
            + name
            + " must be "
            + rule
            + ": "
            + prefix
            + name
            + "="
            + (shown.length() > MAX_SHOWN_CHARS
                ? shown.substring(0, MAX_SHOWN_CHARS) + "..."
                : shown));
  }
}
