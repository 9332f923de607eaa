package dev.headway.clients;

import dev.headway.clients.langchain4j.LangChain4jErrorsTest;
import dev.headway.clients.langchain4j.LangChain4jTextsTest;
import dev.headway.clients.langchain4j.LangChain4jToolsTest;
import dev.headway.clients.openai.OpenAiJavaErrorsTest;
import dev.headway.clients.openai.OpenAiJavaRefusalsTest;
import dev.headway.clients.openai.OpenAiJavaTest;
import dev.headway.clients.openai.OpenAiJavaToolsTest;
import dev.headway.clients.springai.SpringAiErrorsTest;
import dev.headway.clients.springai.SpringAiTextsTest;
import dev.headway.clients.springai.SpringAiToolsTest;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A client that is tested: a column of the site's page of clients. */
enum Client {
  OPENAI_JAVA(
      "OpenAI Java",
      "openai-java.version",
      Set.of(),
      OpenAiJavaTest.class,
      OpenAiJavaToolsTest.class,
      OpenAiJavaErrorsTest.class,
      OpenAiJavaRefusalsTest.class),
  LANGCHAIN4J(
      "LangChain4j",
      "langchain4j.version",
      Set.of(
          Feature.PROMPTS,
          Feature.CHOICES,
          Feature.TEXT_LOGPROBS,
          Feature.ECHO,
          Feature.BEST_OF,
          Feature.TYPED_ANSWER,
          Feature.TOOL_NAMED,
          Feature.ASYNC,
          Feature.RETRY_AFTER,
          Feature.LEGACY_FUNCTIONS,
          Feature.SUFFIX,
          Feature.CUSTOM_TOOLS,
          Feature.ALLOWED_TOOLS,
          Feature.WEB_SEARCH),
      LangChain4jTextsTest.class,
      LangChain4jToolsTest.class,
      LangChain4jErrorsTest.class),
  SPRING_AI(
      "Spring AI",
      "spring-ai.version",
      Set.of(
          Feature.MODELS,
          Feature.COMPLETION,
          Feature.PROMPTS,
          Feature.PARTS,
          Feature.LOGPROBS,
          Feature.TEXT_LOGPROBS,
          Feature.ECHO,
          Feature.BEST_OF,
          Feature.ASYNC,
          Feature.LEGACY_FUNCTIONS,
          Feature.SUFFIX,
          Feature.CUSTOM_TOOLS,
          Feature.ALLOWED_TOOLS,
          Feature.WEB_SEARCH,
          Feature.RESPONSES),
      SpringAiTextsTest.class,
      SpringAiToolsTest.class,
      SpringAiErrorsTest.class);

  private final String title;
  private final String versionProperty;
  private final Set<Feature> notOffered;
  private final List<Class<?>> tests;

  /**
   * @param versionProperty of the root pom
   * @param notOffered what the client has no way of asking for
   * @param tests whose methods say what they show
   */
  Client(String title, String versionProperty, Set<Feature> notOffered, Class<?>... tests) {
    this.title = title;
    this.versionProperty = versionProperty;
    this.notOffered = notOffered;
    this.tests = List.of(tests);
  }

  String title() {
    return title;
  }

  String versionProperty() {
    return versionProperty;
  }

  /** What the tests show; what they do not speak of is left out. */
  Map<Feature, Support> shown() {
    final Map<Feature, Support> shown = new EnumMap<>(Feature.class);
    notOffered.forEach(feature -> shown.put(feature, Support.NOT_OFFERED));
    tests.stream()
        .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
        .map(method -> method.getAnnotation(Shows.class))
        .filter(shows -> shows != null)
        .forEach(
            shows -> {
              for (Feature feature : shows.value()) {
                final Support before = shown.put(feature, shows.as());
                if (before != null && before != shows.as()) {
                  throw new IllegalStateException(
                      "two tests must not disagree: feature=" + feature + ", client=" + this);
                }
              }
            });
    return shown;
  }
}
