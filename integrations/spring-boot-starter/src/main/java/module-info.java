/** An engine as a bean of a Spring Boot application, 3.5 or 4. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Spring's modules have no names but those of their manifests
module dev.headway.spring.boot {
  requires transitive dev.headway.api;
  requires transitive dev.headway.scheduler;
  requires transitive spring.boot;
  requires transitive spring.boot.autoconfigure;
  requires dev.headway.events;
  requires dev.headway.probes.dashboard;
  requires dev.headway.probes.otel;
  requires static dev.headway.executor.host;
  requires static dev.headway.serving;
  requires static dev.headway.spring.ai;
  requires static micrometer.core;
  requires static org.jspecify;
  requires static spring.ai.model;
  requires static spring.boot.actuator;
  requires static spring.boot.actuator.autoconfigure;
  requires static spring.boot.health;
  requires org.slf4j;
  requires spring.beans;
  requires spring.context;
  requires spring.core;

  exports dev.headway.spring.boot;

  opens dev.headway.spring.boot; // Spring calls bean methods
}
