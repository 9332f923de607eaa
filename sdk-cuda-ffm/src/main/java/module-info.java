/** An executor on the CUDA driver through the foreign function API. */
module dev.headway.cuda {
  requires transitive dev.headway.api;
  requires transitive dev.headway.executor.host;
  requires static org.jspecify;

  exports dev.headway.cuda.blas;
  exports dev.headway.cuda.device;
  exports dev.headway.cuda.driver;
  exports dev.headway.cuda.executor;
  exports dev.headway.cuda.kernel;
  exports dev.headway.cuda.nvml;
}
