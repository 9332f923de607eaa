package dev.headway.examples.springboot;

import dev.headway.api.executor.Executor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** A Spring Boot application that answers with a Headway engine. */
@SpringBootApplication
public class HeadwayApplication {
  public static void main(String[] args) {
    SpringApplication.run(HeadwayApplication.class, args);
  }

  /** Yours runs a model; or none: headway.model.directory names a folder, in place of a bean. */
  @Bean
  Executor executor() {
    return new AlphabetExecutor();
  }
}
