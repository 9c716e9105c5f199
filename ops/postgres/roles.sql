-- Roles and databases, once for each cluster, as a superuser: psql -v owner_password=… -v service_password=… -v temporal_password=… -f roles.sql
-- The owner of the tables migrates. It creates the role registry_application.
create role registry_owner login createrole password :'owner_password';
-- The login of API and workers owns nothing; `npm run registry -- migrate` makes it a member of registry_application.
create role registry_app login password :'service_password';
create database registry owner registry_owner;
-- Only where Temporal uses this cluster too.
create role temporal login password :'temporal_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
