/** A chat model of Spring AI 2 that runs on an engine in the same process. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Spring AI's modules have no names but those of their manifests
module dev.headway.spring.ai {
  requires transitive dev.headway.api;
  requires transitive dev.headway.serving;
  requires transitive reactor.core;
  requires transitive spring.ai.model;
  requires dev.headway.grammar;
  requires spring.ai.commons;
  requires static org.jspecify;
  requires tools.jackson.databind;

  exports dev.headway.spring.ai;
}
