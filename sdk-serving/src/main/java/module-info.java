/** Between text and tokens: tokenizers, chat templates, answers, calls of functions. */
@SuppressWarnings("requires-automatic") // DJL's have no module name but one of their manifest
module dev.headway.serving {
  requires transitive dev.headway.api;
  requires transitive dev.headway.grammar;
  requires ai.djl.tokenizers;
  requires org.mozilla.rhino;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires transitive tools.jackson.databind;

  exports dev.headway.serving;
  exports dev.headway.serving.chat;
  exports dev.headway.serving.reply;
  exports dev.headway.serving.tokenizer;
  exports dev.headway.serving.tool;
}
