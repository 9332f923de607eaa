/**
 * The contracts of Headway, an embeddable request scheduler for LLM inference.
 *
 * <p>Everything public in an exported package is a promise. It depends on nothing but JSpecify's
 * annotations.
 */
@SuppressWarnings("module") // modules that are built after this one
module dev.headway.api {
  requires static transitive org.jspecify;

  exports dev.headway.api;
  exports dev.headway.api.config;
  exports dev.headway.api.engine;
  exports dev.headway.api.executor;
  exports dev.headway.api.internal to
      dev.headway.cuda,
      dev.headway.executor.host,
      dev.headway.probes.chronicle,
      dev.headway.probes.otel,
      dev.headway.report,
      dev.headway.routing,
      dev.headway.scheduler,
      dev.headway.simulation;
  exports dev.headway.api.kvcache;
  exports dev.headway.api.kvcache.connector;
  exports dev.headway.api.policy;
  exports dev.headway.api.probe;
  exports dev.headway.api.request;
  exports dev.headway.api.schedule;
  exports dev.headway.api.step;
  exports dev.headway.api.support;
  exports dev.headway.api.time;
}
