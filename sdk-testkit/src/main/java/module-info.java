/** Contracts for implementations of Headway's interfaces, and values to run them with. */
module dev.headway.testkit {
  requires transitive dev.headway.api;
  requires static jdk.management;
  requires static org.jspecify;
  requires static transitive org.junit.jupiter.api;

  exports dev.headway.testkit.kvcache;
  exports dev.headway.testkit.policy;
  exports dev.headway.testkit.request;
}
