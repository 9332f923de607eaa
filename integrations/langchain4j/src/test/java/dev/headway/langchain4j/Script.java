package dev.headway.langchain4j;

import dev.headway.api.request.Request;

/** What a model that has learned something would answer to the questions of LangChain4j's tests. */
final class Script {

  private static final String BERLIN = "The capital of Germany is Berlin.";

  private static final String MUNICH =
      "[{\"name\":\"getWeather\",\"parameters\":{\"city\":\"Munich\"}}]";

  private Script() {}

  static String answer(Request request, String prompt) {
    final boolean constrained = request.grammar() != null;
    if (prompt.contains("tool\nsunny")) {
      final String answer = constrained ? "{\"weather\":\"sunny\"}" : "The weather is sunny.";
      return prompt.contains("tool\n14:35") ? "It is sunny at 14:35." : answer;
    }
    if (prompt.contains("tool\n10:14")) {
      return "It is 10:14 now.";
    }
    if (prompt.contains("simultaneously")) {
      return call("getWeather", "{\"city\":\"Munich\"}")
          + "\n"
          + call("getTime", "{\"country\":\"France\"}");
    }
    if (prompt.contains("What is the weather in Munich?")) {
      return constrained ? MUNICH : call("getWeather", "{\"city\": \"Munich\"}");
    }
    if (prompt.contains("Use the get_current_time tool.")) {
      return call("get_current_time", "{}");
    }
    if (prompt.contains("I live in Munich")) {
      return MUNICH;
    }
    if (prompt.contains("What is the capital of Germany?")) {
      return constrained ? "{\"city\":\"Berlin\"}" : BERLIN;
    }
    if (prompt.contains("I love you")) {
      return "Ich liebe dich";
    }
    if (prompt.contains("What is my favorite color?")) {
      return prompt.contains("my favorite color is green") ? "It is green." : "I do not know.";
    }
    if (prompt.contains("Say 'Hello World'")) {
      return "Hello World";
    }
    return prompt.contains("long story") ? "Once there was a cat. ".repeat(40) : "Hello!";
  }

  private static String call(String name, String arguments) {
    return "<tool_call>\n{\"name\": \""
        + name
        + "\", \"arguments\": "
        + arguments
        + "}\n</tool_call>";
  }
}
