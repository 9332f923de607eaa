/** An executor on the CUDA driver through the foreign function API. */
module dev.headway.cuda {
  requires transitive dev.headway.api;
  requires transitive dev.headway.executor.host;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.headway.cuda;
  exports dev.headway.cuda.executor;
}
