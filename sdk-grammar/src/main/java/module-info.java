/** Constraints on outputs, JSON schemas among them, as masks over a vocabulary. */
module dev.headway.grammar {
  requires transitive dev.headway.api;
  requires java.management;
  requires org.apache.lucene.core;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires tools.jackson.databind;

  exports dev.headway.grammar;
  exports dev.headway.grammar.automaton;
}
