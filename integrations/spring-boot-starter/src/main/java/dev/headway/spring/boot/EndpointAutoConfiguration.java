package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.RunModel;
import dev.headway.probes.dashboard.state.RequestLookup;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/headway}, where it is exposed; nothing is observed for it elsewhere. */
@AutoConfiguration
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(endpoint = HeadwayEndpoint.class)
class EndpointAutoConfiguration {

  @Bean
  RequestLookup headwayRequestLookup(HeadwayProperties properties) {
    return new RequestLookup(properties.endpoint().kept());
  }

  /** Gets the records. */
  @Bean
  RunModel headwayRequestModel(RequestLookup lookup) {
    return new RunModel(lookup);
  }

  @Bean
  HeadwayEndpoint headwayEndpoint(
      RequestLookup lookup,
      ObjectProvider<Engine> engine,
      ObjectProvider<LiveProbe> probe,
      HeadwayProperties properties) {
    return new HeadwayEndpoint(lookup, engine, probe, properties.endpoint().shown());
  }
}
