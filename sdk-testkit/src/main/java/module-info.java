/** Contracts for implementations of Headway's interfaces, and values to run them with. */
module dev.headway.testkit {
  requires transitive dev.headway.api;
  requires static jdk.management;
  requires static org.jspecify;
  requires transitive org.junit.jupiter.api;

  exports dev.headway.testkit;
  exports dev.headway.testkit.connector;
  exports dev.headway.testkit.executor;
  exports dev.headway.testkit.files;
  exports dev.headway.testkit.kvcache;
  exports dev.headway.testkit.policy;
  exports dev.headway.testkit.probe;
  exports dev.headway.testkit.request;
  exports dev.headway.testkit.scheduler;

  opens dev.headway.testkit.connector to
      org.junit.platform.commons;
  opens dev.headway.testkit.executor to
      org.junit.platform.commons;
  opens dev.headway.testkit.probe to
      org.junit.platform.commons;
  opens dev.headway.testkit.request to
      org.junit.platform.commons;
  opens dev.headway.testkit.scheduler to
      org.junit.platform.commons;
}
