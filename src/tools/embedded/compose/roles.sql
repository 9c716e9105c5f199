-- Run once by the database container of docker-compose.yml: the application's login, which owns nothing, and the database.
create role registry_app login password 'registry-app-password';
create database registry;
