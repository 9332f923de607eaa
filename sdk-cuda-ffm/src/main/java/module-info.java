/**
 * An executor on the CUDA driver through the foreign function API, and its plain Java reference.
 */
module dev.headway.cuda {
  requires transitive dev.headway.api;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires tools.jackson.databind;

  exports dev.headway.cuda.blas;
  exports dev.headway.cuda.device;
  exports dev.headway.cuda.driver;
  exports dev.headway.cuda.executor;
  exports dev.headway.cuda.kernel;
  exports dev.headway.cuda.model;
  exports dev.headway.cuda.nvml;
  exports dev.headway.cuda.reference;
  exports dev.headway.cuda.sampling;
}
