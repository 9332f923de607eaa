/** Models of LangChain4j that run on an engine in the same process. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // LangChain4j has no module name but that of its file
module dev.headway.langchain4j {
  requires transitive dev.headway.api;
  requires transitive dev.headway.serving;
  requires transitive langchain4j.core;
  requires dev.headway.grammar;
  requires static org.jspecify;
  requires tools.jackson.databind;

  exports dev.headway.langchain4j;
}
