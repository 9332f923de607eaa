/** Hugging Face model folders, sampling, and an executor in plain Java. */
module dev.headway.executor.host {
  requires transitive dev.headway.api;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires tools.jackson.databind;

  exports dev.headway.executor.model;
  exports dev.headway.executor.plan;
  exports dev.headway.executor.reference;
  exports dev.headway.executor.sampling;
  exports dev.headway.executor.speculation;
}
