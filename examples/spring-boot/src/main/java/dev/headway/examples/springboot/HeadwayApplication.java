package dev.headway.examples.springboot;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A Spring Boot application that answers with a Headway engine. */
@SpringBootApplication
public class HeadwayApplication {
  public static void main(String[] args) {
    SpringApplication.run(HeadwayApplication.class, args);
  }
}
