package dev.headway.grammar.automaton;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Schemas of all kinds that are kept, from a seed. */
final class RandomSchemas {

  private final Random random;

  RandomSchemas(Random random) {
    this.random = random;
  }

  String next() {
    return random.nextInt(6) == 0
        ? "{\"$ref\":\"#/$defs/T\",\"$defs\":{\"T\":{\"type\":\"object\",\"properties\":{\"v\":"
            + schema(2)
            + ",\"next\":{\"anyOf\":[{\"$ref\":\"#/$defs/T\"},{\"type\":\"null\"}]}},\"required\":[\"v\"]}}}"
        : schema(3);
  }

  private String schema(int depth) {
    return switch (random.nextInt(depth == 0 ? 7 : 11)) {
      case 0 -> string();
      case 1 -> number("integer");
      case 2 -> number("number");
      case 3 -> "{\"type\":[\"boolean\",\"null\"]}";
      case 4 -> "{\"enum\":[\"a\\\"b\",12,null,true,{\"x\":[1,\"é\"]}]}";
      case 5 -> "{\"const\":\"yes\"}";
      case 6 -> "{}";
      case 7 -> "{\"anyOf\":[" + schema(depth - 1) + "," + schema(depth - 1) + "]}";
      case 8 -> array(depth);
      default -> object(depth);
    };
  }

  private String string() {
    final String[] kinds = {
      "",
      ",\"maxLength\":5",
      ",\"minLength\":2,\"maxLength\":4",
      ",\"pattern\":\"^[a-z]{1,4}$\"",
      ",\"pattern\":\"[0-9]é?\"",
      ",\"pattern\":\"^.\\\\\\\\+\\\"$\"",
      ",\"format\":\"date\"",
      ",\"format\":\"date-time\"",
      ",\"format\":\"uuid\"",
      ",\"format\":\"date\",\"maxLength\":30",
      ",\"format\":\"ipv4\""
    };
    return "{\"type\":\"string\"" + kinds[random.nextInt(kinds.length)] + "}";
  }

  private String number(String type) {
    final StringBuilder schema = new StringBuilder("{\"type\":\"" + type + "\"");
    final int low = random.nextInt(2_000) - 1_000;
    final String fraction = type.equals("number") ? "." + random.nextInt(1_000) : "";
    if (random.nextBoolean()) {
      schema.append(random.nextBoolean() ? ",\"minimum\":" : ",\"exclusiveMinimum\":");
      schema.append(low).append(fraction);
    }
    if (random.nextBoolean()) {
      schema.append(random.nextBoolean() ? ",\"maximum\":" : ",\"exclusiveMaximum\":");
      schema.append(low + 2 + random.nextInt(500)).append(fraction);
    }
    return schema.append("}").toString();
  }

  private String array(int depth) {
    final int least = random.nextInt(3);
    final String most =
        random.nextBoolean() ? ",\"maxItems\":" + (least + 1 + random.nextInt(3)) : "";
    final String prefix =
        random.nextInt(3) == 0 ? ",\"prefixItems\":[" + schema(depth - 1) + "]" : "";
    return "{\"type\":\"array\",\"minItems\":"
        + least
        + most
        + prefix
        + ",\"items\":"
        + schema(depth - 1)
        + "}";
  }

  private String object(int depth) {
    final List<String> members = new ArrayList<>();
    final List<String> required = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      final String name = "\"" + new String[] {"a", "b c", "é\\\"", "name"}[i] + "\"";
      members.add(name + ":" + schema(depth - 1));
      if (random.nextBoolean()) {
        required.add(name);
      }
    }
    final String[] others = {
      "", ",\"additionalProperties\":false", ",\"additionalProperties\":{\"type\":\"integer\"}"
    };
    return "{\"type\":\"object\",\"properties\":{"
        + String.join(",", members)
        + "},\"required\":["
        + String.join(",", required)
        + "]"
        + others[random.nextInt(others.length)]
        + "}";
  }
}
